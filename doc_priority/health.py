"""Can this process check documents, and if not, why?

`readiness()` is for a load balancer, `findings()` for `manage.py doc_priority doctor`. Both run
`PROBES`.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from django.apps import apps
from django.core import checks
from django.db import DatabaseError, Error, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.models import QuerySet
from django.utils import timezone

from doc_priority.check_messages import CONNECTIONS_TAG, TAG
from doc_priority.conf import settings
from doc_priority.counters import bounded, counters_of, postgresql_function
from doc_priority.counters.postgresql_function import Fault
from doc_priority.models import Counter
from doc_priority.querysets import alias_for_write
from doc_priority.selectors import database_now

APP = "doc_priority"
TENANTS = "django_tenants"
"""A portal with this app migrates its schemas with `migrate_schemas`."""

SHOWN_KEYS = 5
LARGEST_DIFFERENCE = 5
"""Seconds by which the clocks of the database and of this host may differ without a warning."""

SERVER_OPTIONS = {
    "postgresql": (
        "SELECT name, setting FROM pg_settings "
        "WHERE name IN ('fsync', 'synchronous_commit', 'transaction_isolation') ORDER BY name"
    ),
    "mysql": (
        "SHOW SESSION VARIABLES WHERE variable_name IN ('innodb_flush_log_at_trx_commit', "
        "'innodb_snapshot_isolation', 'sql_mode', 'transaction_isolation', 'tx_isolation')"
    ),
    "sqlite": (
        "SELECT 'journal_mode', journal_mode FROM pragma_journal_mode "
        "UNION ALL SELECT 'busy_timeout', timeout FROM pragma_busy_timeout"
    ),
}
"""The queries for those server options on which checks and their speed depend."""


@dataclass(frozen=True, slots=True)
class Item:
    """The result of one probe of `readiness()`; the detail says to your staff what is wrong.

    What is wrong and does not block is a warning: this process can check documents.
    """

    name: str
    ok: bool
    detail: str = ""
    blocks: bool = False


@dataclass(frozen=True, slots=True)
class Readiness:
    """The results, in the order of the probes, up to the first that blocks."""

    items: tuple[Item, ...]

    @property
    def ready(self) -> bool:
        return not any(item.blocks for item in self.items)


class Level(StrEnum):
    OK = "OK"
    WARNING = "WARNING"
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the doctor found; if it is not OK, with the remedy."""

    level: Level
    subject: str
    message: str
    remedy: str = ""


def readiness() -> Readiness:
    """Probe settings, database, migrations, function, lock and counters; nothing is changed.

    It never raises. No statement runs for longer than LOCK_TIMEOUT_MS; the time for connecting is
    limited only by the options in DATABASES.
    """
    items: list[Item] = []
    for name in ("settings", "database", "migrations", "function", "lock", "counters"):
        items.append(_item(name))
        if items[-1].blocks:
            break
    return Readiness(tuple(items))


def _item(name: str) -> Item:
    try:
        connection = connections[alias_for_write()]
        # The settings have the time limit for the other probes.
        with nullcontext() if name == "settings" else _bounded(connection):
            fault = PROBES[name](connection)
    except Exception as error:  # a health page needs an answer whatever happens
        said = " ".join(str(error).split()) or type(error).__name__
        return Item(name, ok=False, detail=said, blocks=True)
    if fault is None:
        return Item(name, ok=True)
    detail = f"{fault.message} {fault.remedy}" if name == "function" else fault.message
    return Item(name, ok=False, detail=detail, blocks=fault.blocks)


def findings() -> Iterator[Finding]:
    """What the doctor has to say, from the settings to the counters.

    After a finding that blocks, what depends on it is not looked at.
    """
    connection = connections[alias_for_write()]
    # Of the checks for a deployment only those of connections: others would ask the queue's broker.
    messages = checks.run_checks(tags=[TAG], databases=[]) + checks.run_checks(
        tags=[CONNECTIONS_TAG], databases=[], include_deployment_checks=True
    )
    of_settings = list(_findings_of_checks("settings", messages))
    yield from of_settings or [Finding(Level.OK, "settings", "DOC_PRIORITY can be used as it is.")]
    try:
        connection.ensure_connection()
        of_database = checks.run_checks(tags=[TAG], databases=[connection.alias])
        yield from _findings_of_checks(
            "database", [one for one in of_database if one not in messages]
        )
        if connection.vendor in SERVER_OPTIONS:
            yield from _findings_of_server(connection)
            yield from _findings_of_probes(connection)
    except Error as error:
        yield Finding(
            Level.ERROR,
            "database",
            f"{connection.alias!r} answers: {' '.join(str(error).split())}",
            f"See that the server runs and DATABASES[{connection.alias!r}] leads to it.",
        )


def _findings_of_checks(subject: str, messages: Sequence[checks.CheckMessage]) -> Iterator[Finding]:
    for message in messages:
        if not message.is_silenced():
            level = Level.ERROR if message.is_serious() else Level.WARNING
            yield Finding(level, subject, f"({message.id}) {message.msg}", message.hint or "")


def _findings_of_probes(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    good = {
        "migrations": "All are applied.",
        "tables": "",
        "counters": "None was updated in the future.",
    }
    if connection.vendor == "postgresql":
        good["function"] = f"{postgresql_function.NAME} is the current one."
    for name, well in good.items():
        fault = PROBES[name](connection)
        if fault is not None:
            message = fault.message if name != "counters" else _counters_in_full(connection)
            yield Finding(Level.ERROR, name, message, fault.remedy)
            if fault.blocks:
                return
        elif well:
            yield Finding(Level.OK, name, well)


def _findings_of_server(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    """The server's version and options, options to change, and how far its clock is from ours."""
    # In a transaction, because there PostgreSQL shows the isolation that Django's transactions get.
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(SERVER_OPTIONS[connection.vendor])
        options = {name: str(value) for name, value in cursor.fetchall()}
    if connection.vendor == "sqlite":
        mode = connection.settings_dict["OPTIONS"].get("transaction_mode") or "DEFERRED"
        options["transaction_mode"] = str(mode)
    options["CONN_MAX_AGE"] = str(connection.settings_dict["CONN_MAX_AGE"])

    version = ".".join(map(str, connection.get_database_version()))
    given = ", ".join(f"{name} {value}" for name, value in options.items())
    server = f"{connection.alias!r} is {connection.display_name} {version} with {given}."
    yield Finding(Level.OK, "database", server)

    for name in {"transaction_isolation", "tx_isolation"} & options.keys():
        if options[name].upper().replace("-", " ") != "READ COMMITTED":
            yield Finding(
                Level.WARNING,
                "database",
                f"{name} is {options[name]}; simultaneous checks of one customer, each in a "
                "transaction of the portal's, will conflict.",
                f"Set 'isolation_level' in DATABASES[{connection.alias!r}]['OPTIONS'] to read "
                "committed, or run a transaction again when it raises TransactionConflict.",
            )
    journal_mode = options.get("journal_mode", "wal")
    if journal_mode not in ("wal", "memory"):
        yield Finding(
            Level.WARNING,
            "database",
            f"journal_mode is {journal_mode}; with several processes some will wait too long for "
            "the write lock and get CounterBusy.",
            "Put 'init_command': 'PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL' into the "
            "database's OPTIONS.",
        )

    before = time.time()
    database = database_now().timestamp()
    # The database read its clock halfway between sending the query and having the answer.
    difference = round(database - (before + time.time()) / 2, 1) or 0.0
    clocks = f"The database's is {difference:+} s from this host's; counters follow it."
    if abs(difference) <= LARGEST_DIFFERENCE:
        yield Finding(Level.OK, "clocks", clocks)
    else:
        yield Finding(Level.WARNING, "clocks", clocks, "Keep both hosts' clocks right with NTP.")


def _probe_settings(connection: BaseDatabaseWrapper) -> None:
    """Only the settings that a check reads: with a wrong API_MAX_BULK checks still work."""
    _ = settings.conditions  # raises an error if they are wrong
    counters_of(connection)


def _probe_database(connection: BaseDatabaseWrapper) -> None:
    database_now()


def _probe_migrations(connection: BaseDatabaseWrapper) -> Fault | None:
    loader = MigrationLoader(connection)
    missing = sorted(
        name
        for app, name in loader.graph.nodes
        if app == APP and (app, name) not in loader.applied_migrations
    )
    if not missing:
        return None
    return Fault(
        f"Not applied: {', '.join(missing)}.",
        "Run manage.py migrate_schemas."
        if apps.is_installed(TENANTS)
        else f"Run manage.py migrate {APP} --database {connection.alias}.",
        blocks=True,
    )


def _probe_tables(connection: BaseDatabaseWrapper) -> Fault | None:
    listed = connection.introspection.table_names()
    missing = []
    for model in apps.get_app_config(APP).get_models():
        if model._meta.db_table in listed:
            continue
        # A table that is not listed may still be readable: tenants see the public schema, too.
        try:
            with transaction.atomic(using=connection.alias):
                model._base_manager.using(connection.alias).exists()
        except DatabaseError:
            missing.append(model._meta.db_table)
    if not missing:
        return None
    return Fault(
        f"Missing, though all migrations are applied: {', '.join(missing)}.",
        "Run manage.py migrate_schemas. If the tables are in the tenants' schemas only, look at one"
        f" of them: manage.py tenant_command {APP} doctor --schema=NAME."
        if apps.is_installed(TENANTS)
        else "Restore them from a backup. Or, if none of the five is left, create them again: run "
        f"manage.py migrate {APP} zero --fake --database {connection.alias}, then "
        f"manage.py migrate {APP} --database {connection.alias}.",
        blocks=True,
    )


def _probe_function(connection: BaseDatabaseWrapper) -> Fault | None:
    """The text of another version does not block: processes of both versions can check with it."""
    return postgresql_function.fault(connection) if connection.vendor == "postgresql" else None


def _probe_lock(connection: BaseDatabaseWrapper) -> None:
    """Fails on a read-only server, and while another session has locked the whole table."""
    counters = Counter.objects.using(connection.alias).select_related("customer")
    list(counters.select_for_update().filter(customer__in=[""]))


def _probe_counters(connection: BaseDatabaseWrapper) -> Fault | None:
    """Counters in the future are a warning: checks work, but these counters do not recover."""
    keys = [key for key, _ in _counters_ahead(connection)[:SHOWN_KEYS]]
    if not keys:
        return None
    return Fault(
        f"Updated in the future: {', '.join(keys)}.",
        "Set the database host's clock right. Until that time comes these counters do not get "
        f"better by themselves. manage.py {APP} reset KEY sets a counter to 0 but keeps its time; "
        "forget KEY erases customer and counter, so that it starts again.",
        blocks=False,
    )


def _counters_in_full(connection: BaseDatabaseWrapper) -> str:
    """The number of counters in the future, which may be every active customer's, and examples."""
    ahead = _counters_ahead(connection)
    examples = []
    for key, moment in ahead[:SHOWN_KEYS]:
        shown = timezone.localtime(moment).strftime("%Y-%m-%d %H:%M:%S %Z")
        examples.append(f"{key} ({shown})")
    return f"Updated in the future: {ahead.count()}, such as {', '.join(examples)}."


def _counters_ahead(connection: BaseDatabaseWrapper) -> QuerySet[Counter, tuple[Any, Any]]:
    """Key and time of the counters more than a minute in the future, the farthest first."""
    counters = Counter.objects.using(connection.alias)
    ahead = counters.filter(updated_at__gt=database_now() + timedelta(seconds=60))
    return ahead.order_by("-updated_at").values_list("customer_id", "updated_at")


PROBES: dict[str, Callable[[BaseDatabaseWrapper], Fault | None]] = {
    "settings": _probe_settings,
    "database": _probe_database,
    "migrations": _probe_migrations,
    "tables": _probe_tables,
    "function": _probe_function,
    "lock": _probe_lock,
    "counters": _probe_counters,
}
"""What is looked at; each returns what is wrong, or raises an error."""


def bounded_reads(connection: BaseDatabaseWrapper) -> AbstractContextManager[None]:
    """Limit the time of the reads in this block to LOCK_TIMEOUT_MS, as for a metrics page.

    On SQLite reads wait for no writer, so they need no transaction either.
    """
    if connection.vendor == "sqlite":
        return bounded(connection, settings.conditions)
    return _bounded(connection)


@contextmanager
def _bounded(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Limit the time of each statement in this block; the transaction is rolled back.

    On SQLite only BEGIN waits, which `bounded` limits.
    """
    conditions = settings.conditions
    limit = ""
    if connection.vendor == "mysql":
        # The limit is part of each query, so that nothing must be reset in the session.
        limit = f"SET STATEMENT max_statement_time = {conditions.lock_timeout_ms / 1000} FOR "

    def execute(run: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        return run((limit if sql.startswith("SELECT") else "") + sql, params, many, context)

    try:
        with (
            bounded(connection, conditions),
            transaction.atomic(using=connection.alias),
            connection.execute_wrapper(execute),
        ):
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(
                        "SELECT set_config('statement_timeout', %s, true)",
                        [str(conditions.lock_timeout_ms)],
                    )
            yield
            transaction.set_rollback(True, using=connection.alias)
    except Error:
        # Django closes broken connections after a request. A process without requests would keep a
        # connection whose session the server has ended. In a transaction the caller must close it.
        if connection.errors_occurred and connection.autocommit:
            connection.close_if_unusable_or_obsolete()
        raise
