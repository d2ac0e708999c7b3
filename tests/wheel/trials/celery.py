"""The extra `celery`: messages on Redis in the order of their priorities."""

from uuid import uuid4

from tests.brokers import REDIS_URL
from tests.wheel.portal import Portal

TASKS = """
from celery import Celery

from doc_priority.contrib.celery import prioritize

app = Celery("portal", broker={broker!r})
app.conf.task_default_queue = {queue!r}
prioritize(app, "portal.tasks.send", customer="customer", document="document")


@app.task
def send(customer, document):
    return document
"""

SENDING = """
from portal.tasks import app, send

try:
    assert send.delay("acme", "INV-1").id == send.delay("acme", "INV-1").id
    for document in range(9):
        send.delay("birch", f"INV-{document}")
finally:
    assert app.control.purge() == 11
"""


def try_it(portal: Portal) -> None:
    portal.environment.install("celery[redis]")
    portal.write("tasks.py", TASKS.format(broker=REDIS_URL, queue=f"wheel-{uuid4().hex}"))
    portal.manage("check")
    portal.manage("migrate", "--verbosity", "0")
    portal.shell(SENDING)
