"""Can this process check documents now? For the page that a load balancer asks."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import Error, connections, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.models import QuerySet

from doc_priority.conf import settings
from doc_priority.counters import counters_of, postgresql_function
from doc_priority.counters.rows import Conditions
from doc_priority.models import Counter
from doc_priority.selectors import database_now

APP = "doc_priority"
"""The app's label, and the tag of its system checks."""

FUTURE = timedelta(seconds=60)
"""So far ahead of the database's clock a counter's time is no rounding any more."""

SHOWN_KEYS = 5


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was looked at; the detail says what is wrong, to whoever runs the portal.

    What is wrong and does not block wants to be put right, but keeps nobody from counting.
    """

    name: str
    ok: bool
    detail: str = ""
    blocks: bool = False


@dataclass(frozen=True, slots=True)
class Readiness:
    """What was looked at, in this order, up to the first thing that blocks."""

    items: tuple[Item, ...]

    @property
    def ready(self) -> bool:
        return not any(item.blocks for item in self.items)


class NotReadyError(Exception):
    """What keeps this process from counting, in a sentence."""


def readiness() -> Readiness:
    """Look at settings, database, migrations, function, lock and counters; nothing is changed.

    It never raises. No statement runs for longer than LOCK_TIMEOUT_MS; how long connecting may
    take, DATABASES says.
    """
    return Readiness(tuple(_items()))


def missing_migrations(connection: BaseDatabaseWrapper) -> list[str]:
    """The names of the app's migrations that this database lacks."""
    loader = MigrationLoader(connection)
    return sorted(
        name
        for app, name in loader.graph.nodes
        if app == APP and (app, name) not in loader.applied_migrations
    )


def counters_ahead(alias: str) -> QuerySet[Counter, tuple[Any, Any]]:
    """Key and time of counters that were updated in the future, the farthest first."""
    ahead = Counter.objects.using(alias).filter(updated_at__gt=database_now() + FUTURE)
    return ahead.order_by("-updated_at").values_list("customer_id", "updated_at")


def _items() -> Iterator[Item]:
    for name, look in _LOOKS.items():
        item = _looked_at(name, look)
        yield item
        if item.blocks:
            return


Look = Callable[[BaseDatabaseWrapper], str]
"""It raises what blocks, and gives back what only wants to be put right."""


def _looked_at(name: str, look: Look) -> Item:
    try:
        detail = look(connections[router.db_for_write(Counter)])
    except Exception as error:  # whatever is wrong, a health page has an answer
        said = " ".join(str(error).split()) or type(error).__name__
        return Item(name, ok=False, detail=said, blocks=True)
    return Item(name, ok=not detail, detail=detail)


def _settings(connection: BaseDatabaseWrapper) -> str:
    _conditions()
    counters_of(connection)
    return ""


def _database(connection: BaseDatabaseWrapper) -> str:
    with _bounded(connection):
        database_now()
    return ""


def _migrations(connection: BaseDatabaseWrapper) -> str:
    with _bounded(connection):
        missing = missing_migrations(connection)
    if missing:
        raise NotReadyError(f"Not applied: {', '.join(missing)}.")
    return ""


def _function(connection: BaseDatabaseWrapper) -> str:
    """Processes of two versions count side by side, each with the function there is."""
    if connection.vendor != "postgresql":
        return ""
    with _bounded(connection):
        fault = postgresql_function.fault(connection)
    if fault is None:
        return ""
    detail = f"{fault.message} {fault.remedy}"
    if fault.blocks:
        raise NotReadyError(detail)
    return detail


def _lock(connection: BaseDatabaseWrapper) -> str:
    """A server that only reads, or a table that somebody keeps to himself, cannot count."""
    with _bounded(connection):
        counters = Counter.objects.using(connection.alias).select_related("customer")
        list(counters.select_for_update().filter(customer__in=[""]))
    return ""


def _counters(connection: BaseDatabaseWrapper) -> str:
    """Such a counter waits for its time; those of all other customers count."""
    with _bounded(connection):
        keys = [key for key, _ in counters_ahead(connection.alias)[:SHOWN_KEYS]]
    return f"Updated in the future: {', '.join(keys)}." if keys else ""


_LOOKS: dict[str, Look] = {
    "settings": _settings,
    "database": _database,
    "migrations": _migrations,
    "function": _function,
    "lock": _lock,
    "counters": _counters,
}


def bounded_reads(connection: BaseDatabaseWrapper) -> AbstractContextManager[None]:
    """Reads that take too long are given up, for whoever must answer in any case.

    SQLite's wait for no transaction that writes, and need none of their own.
    """
    if connection.vendor == "sqlite":
        return counters_of(connection).bounded(connection, _conditions())
    return _bounded(connection)


def _conditions() -> Conditions:
    counting = settings.counting
    return Conditions(counting.default_policy, None, counting.lock_timeout_ms, False)


@contextmanager
def _bounded(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Statements that take too long are given up, and nothing of this is left behind."""
    conditions = _conditions()
    try:
        with (
            counters_of(connection).bounded(connection, conditions),
            transaction.atomic(using=connection.alias),
            _given_up_after(connection, conditions.lock_timeout_ms),
        ):
            yield
            transaction.set_rollback(True, using=connection.alias)
    except Error:
        # As Django does after a request; a process that serves none would stay with a session
        # that its server has ended. Within a transaction it is the host's to close.
        if connection.errors_occurred and connection.autocommit:
            connection.close_if_unusable_or_obsolete()
        raise


def _given_up_after(
    connection: BaseDatabaseWrapper, timeout_ms: int
) -> AbstractContextManager[None]:
    """SQLite waits when a transaction begins, and never after that."""
    if connection.vendor == "mysql":
        return connection.execute_wrapper(_limited(timeout_ms / 1000))
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(timeout_ms)])
    return nullcontext()


def _limited(seconds: float) -> Callable[..., Any]:
    """Put the limit before each query: the session keeps nothing of it."""

    def execute(run: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        limit = f"SET STATEMENT max_statement_time = {seconds} FOR "
        return run((limit if sql.startswith("SELECT") else "") + sql, params, many, context)

    return execute
