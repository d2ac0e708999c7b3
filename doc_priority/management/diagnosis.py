"""What the doctor looks at, and what it makes of it."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.apps import apps
from django.core import checks
from django.db import DatabaseError, Error, connections, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.counters import postgresql_function
from doc_priority.management.console import shown_time
from doc_priority.management.server_options import ISOLATIONS, options_of
from doc_priority.models import Counter
from doc_priority.readiness import APP, SHOWN_KEYS, counters_ahead, missing_migrations
from doc_priority.selectors import database_now

LARGEST_DIFFERENCE = 5
WRITE_AHEAD_LOG = "wal"
CONNECTIONS_TAG = "doc_priority_connections"
TENANTS = "django_tenants"
"""With it every schema is migrated by a command of its own."""


class Level(StrEnum):
    OK = "OK"
    WARNING = "WARNING"
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; what is not OK comes with its remedy."""

    level: Level
    subject: str
    message: str
    remedy: str = ""


def findings() -> Iterator[Finding]:
    """Everything there is to say, from the settings to the counters.

    What rests on something that is broken is not looked at.
    """
    connection = connections[router.db_for_write(Counter)]
    # Not all checks for a deployment: some of them ask the queue's broker.
    messages = checks.run_checks(tags=[APP], databases=[]) + checks.run_checks(
        tags=[CONNECTIONS_TAG], databases=[], include_deployment_checks=True
    )
    yield from _settings(messages)
    try:
        yield from _database(connection, messages)
    except Error as error:
        yield Finding(
            Level.ERROR,
            "database",
            f"{connection.alias!r} answers: {' '.join(str(error).split())}",
            f"See that the server runs and DATABASES[{connection.alias!r}] leads to it.",
        )


def _settings(messages: Sequence[checks.CheckMessage]) -> Iterator[Finding]:
    found = list(_of_checks("settings", messages))
    yield from found or [Finding(Level.OK, "settings", "DOC_PRIORITY can be used as it is.")]


def _of_checks(subject: str, messages: Sequence[checks.CheckMessage]) -> Iterator[Finding]:
    for message in messages:
        if not message.is_silenced():
            level = Level.ERROR if message.is_serious() else Level.WARNING
            yield Finding(level, subject, f"({message.id}) {message.msg}", message.hint or "")


def _database(
    connection: BaseDatabaseWrapper, seen: Sequence[checks.CheckMessage]
) -> Iterator[Finding]:
    connection.ensure_connection()
    messages = checks.run_checks(tags=[APP], databases=[connection.alias])
    yield from _of_checks("database", [one for one in messages if one not in seen])
    options = options_of(connection)
    if options is None:
        return
    yield _server(connection, options)
    yield from _isolation(connection, options)
    yield from _journal(options)
    yield _clocks()
    migrations = _migrations(connection)
    yield migrations
    missing = list(_missing_tables(connection)) if migrations.level == Level.OK else []
    if missing:
        yield _no_tables(connection, missing)
    elif migrations.level == Level.OK:
        yield _counters(connection)
        yield from _function(connection)


def _server(connection: BaseDatabaseWrapper, options: dict[str, str]) -> Finding:
    version = ".".join(map(str, connection.get_database_version()))
    given = ", ".join(f"{name} {value}" for name, value in options.items())
    return Finding(
        Level.OK,
        "database",
        f"{connection.alias!r} is {connection.display_name} {version} with {given}.",
    )


def _isolation(connection: BaseDatabaseWrapper, options: dict[str, str]) -> Iterator[Finding]:
    for name in ISOLATIONS & options.keys():
        if options[name].upper().replace("-", " ") != "READ COMMITTED":
            yield Finding(
                Level.WARNING,
                "database",
                f"{name} is {options[name]}; checks of one customer at once, each in a "
                "transaction of the portal's, will conflict.",
                f"Set 'isolation_level' in DATABASES[{connection.alias!r}]['OPTIONS'] to read "
                "committed, or run a transaction again when it raises TransactionConflict.",
            )


def _journal(options: dict[str, str]) -> Iterator[Finding]:
    mode = options.get("journal_mode", WRITE_AHEAD_LOG)
    if mode not in (WRITE_AHEAD_LOG, "memory"):
        yield Finding(
            Level.WARNING,
            "database",
            f"journal_mode is {mode}; with several processes some will wait for the write lock "
            "until CounterBusy.",
            "Put 'init_command': 'PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL' into the "
            "database's OPTIONS.",
        )


def _clocks() -> Finding:
    """The database's clock beside this host's; the way there and back counts half."""
    before = time.time()
    database = database_now().timestamp()
    difference = round(database - (before + time.time()) / 2, 1) or 0.0
    message = f"The database's is {difference:+} s from this host's; counters follow it."
    if abs(difference) <= LARGEST_DIFFERENCE:
        return Finding(Level.OK, "clocks", message)
    return Finding(Level.WARNING, "clocks", message, "Keep both hosts' clocks right with NTP.")


def _migrations(connection: BaseDatabaseWrapper) -> Finding:
    missing = missing_migrations(connection)
    if not missing:
        return Finding(Level.OK, "migrations", "All are applied.")
    return Finding(
        Level.ERROR,
        "migrations",
        f"Not applied: {', '.join(missing)}.",
        "Run manage.py migrate_schemas."
        if apps.is_installed(TENANTS)
        else f"Run manage.py migrate {APP} --database {connection.alias}.",
    )


def _missing_tables(connection: BaseDatabaseWrapper) -> Iterator[str]:
    """A table that is not listed may be readable: a tenant sees those of the public schema, too."""
    listed = connection.introspection.table_names()
    for model in apps.get_app_config(APP).get_models():
        if model._meta.db_table not in listed:
            try:
                with transaction.atomic(using=connection.alias):
                    model._base_manager.using(connection.alias).exists()
            except DatabaseError:
                yield model._meta.db_table


def _no_tables(connection: BaseDatabaseWrapper, missing: Sequence[str]) -> Finding:
    return Finding(
        Level.ERROR,
        "tables",
        f"Missing, though all migrations are applied: {', '.join(missing)}.",
        "Run manage.py migrate_schemas. If the tables are in the tenants' schemas only, look at one"
        f" of them: manage.py tenant_command {APP} doctor --schema=NAME."
        if apps.is_installed(TENANTS)
        else "Restore them from a backup. Or begin anew, if none of the five is left: run "
        f"manage.py migrate {APP} zero --fake --database {connection.alias}, then "
        f"manage.py migrate {APP} --database {connection.alias}.",
    )


def _counters(connection: BaseDatabaseWrapper) -> Finding:
    ahead = counters_ahead(connection.alias)
    examples = [f"{key} ({shown_time(moment)})" for key, moment in ahead[:SHOWN_KEYS]]
    if not examples:
        return Finding(Level.OK, "counters", "None was updated in the future.")
    return Finding(
        Level.ERROR,
        "counters",
        f"Updated in the future: {ahead.count()}, such as {', '.join(examples)}.",
        "Set the database host's clock right. Until that time comes these counters do not get "
        f"better by themselves. manage.py {APP} reset KEY puts one to 0 but keeps its time; forget "
        "KEY lets it start anew.",
    )


def _function(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    if connection.vendor != "postgresql":
        return
    fault = postgresql_function.fault(connection)
    if fault is None:
        yield Finding(Level.OK, "function", f"{postgresql_function.NAME} is the current one.")
    else:
        yield Finding(Level.ERROR, "function", fault.message, fault.remedy)
