"""A session that its server ends: it was idle for too long in the midst of a transaction."""

from threading import Event

from django.db.backends.base.base import BaseDatabaseWrapper

from tests.sessions import another_session

LOOKS, LOOK = 200, 0.05

END_SOON = {
    "postgresql": "SET idle_in_transaction_session_timeout = '50ms'",
    "mysql": "SET SESSION idle_transaction_timeout = 1",
}
OWN = {"postgresql": "SELECT pg_backend_pid()", "mysql": "SELECT CONNECTION_ID()"}
FIND = {
    "postgresql": "SELECT 1 FROM pg_stat_activity WHERE pid = %s",
    "mysql": "SELECT 1 FROM information_schema.processlist WHERE id = %s",
}


def idle_until_ended(session: BaseDatabaseWrapper) -> None:
    """Do nothing in the session's transaction until its server has ended it."""
    with session.cursor() as cursor:
        cursor.execute(END_SOON[session.vendor])
        cursor.execute("SELECT 1 FROM doc_priority_counter")  # begins it, at the latest
        cursor.execute(OWN[session.vendor])
        number = cursor.fetchone()
    with another_session() as other, other.cursor() as cursor:
        for _ in range(LOOKS):
            cursor.execute(FIND[session.vendor], number)
            if cursor.fetchone() is None:
                return
            Event().wait(LOOK)
    raise TimeoutError("the server did not end the session")
