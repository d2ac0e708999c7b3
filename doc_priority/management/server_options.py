"""The options of a database server that checks and their speed depend on."""

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

ISOLATIONS = frozenset({"transaction_isolation", "tx_isolation"})

_QUERIES = {
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


def options_of(connection: BaseDatabaseWrapper) -> dict[str, str] | None:
    """What the server says, and how Django keeps its connections; None for unknown vendors."""
    if connection.vendor not in _QUERIES:
        return None
    # Within a transaction PostgreSQL tells the isolation that Django gives its transactions.
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(_QUERIES[connection.vendor])
        options = {name: str(value) for name, value in cursor.fetchall()}
    if connection.vendor == "sqlite":
        mode = connection.settings_dict["OPTIONS"].get("transaction_mode") or "DEFERRED"
        options["transaction_mode"] = str(mode)
    options["CONN_MAX_AGE"] = str(connection.settings_dict["CONN_MAX_AGE"])
    return options
