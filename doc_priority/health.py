"""What is looked at to say whether this process can check documents, and what is wrong.

`readiness()` answers a load balancer; `findings()` is what `manage.py doc_priority doctor` prints.
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
from doc_priority.models import Counter
from doc_priority.querysets import alias_for_write
from doc_priority.selectors import database_now

APP = "doc_priority"
"""The app's label."""
TENANTS = "django_tenants"
"""With it a command of its own migrates every schema."""

FUTURE = timedelta(seconds=60)
"""How far ahead of the database's clock a counter's time may be before it is reported."""
SHOWN_KEYS = 5
LARGEST_DIFFERENCE = 5
"""How many seconds the clocks of the database and of this host may differ."""

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
"""How to ask for the options of a server that checks and their speed depend on."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that `readiness()` looked at; the detail says what is wrong, to your staff.

    Where something is wrong and does not block, it should be put right, but this process counts.
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


class Level(StrEnum):
    OK = "OK"
    WARNING = "WARNING"
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the doctor looked at; what is not OK comes with its remedy."""

    level: Level
    subject: str
    message: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one thing, and what to do about it."""

    message: str
    remedy: str
    blocks: bool = True
    """Whether it keeps this process from counting."""


@dataclass(frozen=True, slots=True)
class Look:
    """How one thing is looked at: `find` gives what is wrong, and raises what it cannot do."""

    find: Callable[[BaseDatabaseWrapper], Problem | None]
    well: str = ""
    """What the doctor says when nothing is wrong."""
    vendor: str = ""
    """The only database where there is such a thing; all of them if empty."""
    with_remedy: bool = False
    """Whether `readiness()` says the remedy behind the message."""
    in_full: Callable[[BaseDatabaseWrapper], str] | None = None
    """What the doctor says in place of the message, where that may take too long for a page."""


def readiness() -> Readiness:
    """Look at settings, database, migrations, function, lock and counters; nothing is changed.

    It never raises. No statement runs for longer than LOCK_TIMEOUT_MS; how long connecting may
    take, DATABASES says.
    """
    items: list[Item] = []
    for name in ("settings", "database", "migrations", "function", "lock", "counters"):
        items.append(_item(name, LOOKS[name]))
        if items[-1].blocks:
            break
    return Readiness(tuple(items))


def findings() -> Iterator[Finding]:
    """Everything there is to say, from the settings to the counters.

    What rests on something that is broken is not looked at.
    """
    connection = connections[alias_for_write()]
    # Not all checks for a deployment: some of them ask the queue's broker.
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
            yield from _findings_of_looks(connection)
    except Error as error:
        yield Finding(
            Level.ERROR,
            "database",
            f"{connection.alias!r} answers: {' '.join(str(error).split())}",
            f"See that the server runs and DATABASES[{connection.alias!r}] leads to it.",
        )


def _item(name: str, look: Look) -> Item:
    try:
        connection = connections[alias_for_write()]
        if name == "settings":  # without them nothing has a bound
            problem = look.find(connection)
        elif look.vendor in ("", connection.vendor):
            with _bounded(connection):
                problem = look.find(connection)
        else:
            problem = None
    except Exception as error:  # whatever is wrong, a health page has an answer
        said = " ".join(str(error).split()) or type(error).__name__
        return Item(name, ok=False, detail=said, blocks=True)
    if problem is None:
        return Item(name, ok=True)
    detail = f"{problem.message} {problem.remedy}" if look.with_remedy else problem.message
    return Item(name, ok=False, detail=detail, blocks=problem.blocks)


def _findings_of_checks(subject: str, messages: Sequence[checks.CheckMessage]) -> Iterator[Finding]:
    for message in messages:
        if not message.is_silenced():
            level = Level.ERROR if message.is_serious() else Level.WARNING
            yield Finding(level, subject, f"({message.id}) {message.msg}", message.hint or "")


def _findings_of_looks(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    for name in ("migrations", "tables", "counters", "function"):
        look = LOOKS[name]
        if look.vendor not in ("", connection.vendor):
            continue
        problem = look.find(connection)
        if problem is not None:
            message = look.in_full(connection) if look.in_full else problem.message
            yield Finding(Level.ERROR, name, message, problem.remedy)
            if problem.blocks:
                return
        elif look.well:
            yield Finding(Level.OK, name, look.well)


def _findings_of_server(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    """Its version and options, those that should be others, and its clock beside this host's."""
    # Within a transaction PostgreSQL tells the isolation that Django gives its transactions.
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
                f"{name} is {options[name]}; checks of one customer at once, each in a "
                "transaction of the portal's, will conflict.",
                f"Set 'isolation_level' in DATABASES[{connection.alias!r}]['OPTIONS'] to read "
                "committed, or run a transaction again when it raises TransactionConflict.",
            )
    journal_mode = options.get("journal_mode", "wal")
    if journal_mode not in ("wal", "memory"):
        yield Finding(
            Level.WARNING,
            "database",
            f"journal_mode is {journal_mode}; with several processes some will wait for the write "
            "lock until CounterBusy.",
            "Put 'init_command': 'PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL' into the "
            "database's OPTIONS.",
        )

    before = time.time()
    database = database_now().timestamp()
    # The way there and back counts half.
    difference = round(database - (before + time.time()) / 2, 1) or 0.0
    clocks = f"The database's is {difference:+} s from this host's; counters follow it."
    if abs(difference) <= LARGEST_DIFFERENCE:
        yield Finding(Level.OK, "clocks", clocks)
    else:
        yield Finding(Level.WARNING, "clocks", clocks, "Keep both hosts' clocks right with NTP.")


def _look_at_settings(connection: BaseDatabaseWrapper) -> None:
    """Only those that a check reads: a wrong API_MAX_BULK keeps nobody from counting."""
    _ = settings.conditions  # raises what is wrong with them
    counters_of(connection)


def _look_at_database(connection: BaseDatabaseWrapper) -> None:
    database_now()


def _look_at_migrations(connection: BaseDatabaseWrapper) -> Problem | None:
    loader = MigrationLoader(connection)
    missing = sorted(
        name
        for app, name in loader.graph.nodes
        if app == APP and (app, name) not in loader.applied_migrations
    )
    if not missing:
        return None
    return Problem(
        f"Not applied: {', '.join(missing)}.",
        "Run manage.py migrate_schemas."
        if apps.is_installed(TENANTS)
        else f"Run manage.py migrate {APP} --database {connection.alias}.",
    )


def _look_at_tables(connection: BaseDatabaseWrapper) -> Problem | None:
    listed = connection.introspection.table_names()
    missing = []
    for model in apps.get_app_config(APP).get_models():
        if model._meta.db_table in listed:
            continue
        # It may be readable all the same: a tenant sees the tables of the public schema, too.
        try:
            with transaction.atomic(using=connection.alias):
                model._base_manager.using(connection.alias).exists()
        except DatabaseError:
            missing.append(model._meta.db_table)
    if not missing:
        return None
    return Problem(
        f"Missing, though all migrations are applied: {', '.join(missing)}.",
        "Run manage.py migrate_schemas. If the tables are in the tenants' schemas only, look at one"
        f" of them: manage.py tenant_command {APP} doctor --schema=NAME."
        if apps.is_installed(TENANTS)
        else "Restore them from a backup. Or begin anew, if none of the five is left: run "
        f"manage.py migrate {APP} zero --fake --database {connection.alias}, then "
        f"manage.py migrate {APP} --database {connection.alias}.",
    )


def _look_at_function(connection: BaseDatabaseWrapper) -> Problem | None:
    """Processes of two versions count side by side, each with the function there is."""
    fault = postgresql_function.fault(connection)
    return None if fault is None else Problem(fault.message, fault.remedy, fault.blocks)


def _look_at_lock(connection: BaseDatabaseWrapper) -> None:
    """On a server that only reads, or while somebody holds the whole table, nobody can count."""
    counters = Counter.objects.using(connection.alias).select_related("customer")
    list(counters.select_for_update().filter(customer__in=[""]))


def _look_at_counters(connection: BaseDatabaseWrapper) -> Problem | None:
    """A counter that is ahead waits for its time; those of all other customers count."""
    keys = [key for key, _ in _counters_ahead(connection)[:SHOWN_KEYS]]
    if not keys:
        return None
    return Problem(
        f"Updated in the future: {', '.join(keys)}.",
        "Set the database host's clock right. Until that time comes these counters do not get "
        f"better by themselves. manage.py {APP} reset KEY puts one to 0 but keeps its time; forget "
        "KEY lets it start anew.",
        blocks=False,
    )


def _counters_in_full(connection: BaseDatabaseWrapper) -> str:
    """How many are ahead, which may be every active customer's, and the times of some."""
    ahead = _counters_ahead(connection)
    examples = []
    for key, moment in ahead[:SHOWN_KEYS]:
        shown = timezone.localtime(moment).strftime("%Y-%m-%d %H:%M:%S %Z")
        examples.append(f"{key} ({shown})")
    return f"Updated in the future: {ahead.count()}, such as {', '.join(examples)}."


def _counters_ahead(connection: BaseDatabaseWrapper) -> QuerySet[Counter, tuple[Any, Any]]:
    """Key and time of counters that were updated in the future, the farthest first."""
    ahead = Counter.objects.using(connection.alias).filter(updated_at__gt=database_now() + FUTURE)
    return ahead.order_by("-updated_at").values_list("customer_id", "updated_at")


LOOKS = {
    "settings": Look(_look_at_settings),
    "database": Look(_look_at_database),
    "migrations": Look(_look_at_migrations, well="All are applied."),
    "tables": Look(_look_at_tables),
    "function": Look(
        _look_at_function,
        well=f"{postgresql_function.NAME} is the current one.",
        vendor="postgresql",
        with_remedy=True,
    ),
    "lock": Look(_look_at_lock),
    "counters": Look(
        _look_at_counters,
        well="None was updated in the future.",
        in_full=_counters_in_full,
    ),
}


def bounded_reads(connection: BaseDatabaseWrapper) -> AbstractContextManager[None]:
    """Reads that take too long are given up, for whoever must answer in any case.

    SQLite's wait for no transaction that writes, and need none of their own.
    """
    if connection.vendor == "sqlite":
        return bounded(connection, settings.conditions)
    return _bounded(connection)


@contextmanager
def _bounded(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Statements that take too long are given up, and nothing of this is left behind."""
    conditions = settings.conditions
    try:
        with (
            bounded(connection, conditions),
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
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(timeout_ms)])
    if connection.vendor != "mysql":
        return nullcontext()

    def execute(run: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        # The limit stands before each query, so that the session keeps nothing of it.
        limit = f"SET STATEMENT max_statement_time = {timeout_ms / 1000} FOR "
        return run((limit if sql.startswith("SELECT") else "") + sql, params, many, context)

    return connection.execute_wrapper(execute)
