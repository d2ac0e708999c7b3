"""How the function that a check calls on PostgreSQL (check.sql) is installed, replaced and removed.

`migrate` creates it in the schema of the counters' table, replaces it when its text has changed,
and drops it with the tables. The call names the function without a schema, as the function names
its tables, so each schema of a search_path may have tables and a function of its own.
"""

from dataclasses import dataclass
from pathlib import Path

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

# Processes of the previous version call their function until they restart. So if the arguments or
# their names change, which CREATE OR REPLACE refuses, give the function a new NAME, move the old
# SIGNATURE to KEPT, and what was in KEPT to DROPPED. The same name with other arguments would not
# do: version 0.1.0 looks for its function by name alone, and with two it is not ready.
NAME = "doc_priority_check"

SIGNATURE = f"{NAME}(text, text, bigint, boolean, text, bigint, text, integer[])"

KEPT: tuple[str, ...] = ()
"""Signatures that processes of the previous version call."""

DROPPED: tuple[str, ...] = ()
"""Signatures of older versions, which `migrate` drops."""

_SQL = Path(__file__).with_name("check.sql").read_text("utf-8")
_BODY = _SQL.split("$body$")[1]
"""The text that PostgreSQL stores in pg_proc.prosrc."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and the remedy."""

    message: str
    remedy: str
    blocks: bool
    """Whether checks fail."""


def follow_tables(connection: BaseDatabaseWrapper) -> None:
    """Install the function in the schema of the counters' table; without that table, remove it.

    CREATE OR REPLACE, so that no check finds it missing, and its owner and grants stay. It is
    removed from every schema of the search_path, with the functions of older versions, but not
    those of another role: the role that migrates has not created them.
    """
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        schema = _schema_of_table(cursor)
        if schema is not None:
            cursor.execute(
                "SELECT prosrc FROM pg_proc WHERE oid = to_regprocedure(%s)",
                [f"{schema}.{SIGNATURE}"],
            )
            if cursor.fetchone() != (_BODY,):
                cursor.execute(_SQL.replace(":schema.doc_priority_check", f"{schema}.{NAME}"))
            for signature in DROPPED:
                cursor.execute(f"DROP FUNCTION IF EXISTS {schema}.{signature}")
            return
        cursor.execute(
            """
            SELECT oid::regprocedure::text FROM pg_proc
             WHERE pg_has_role(proowner, 'USAGE') AND oid IN (
                   SELECT to_regprocedure(quote_ident(schema) || '.' || signature)
                     FROM unnest(current_schemas(false)) AS schema,
                          unnest(%s::text[]) AS signature)
            """,
            [[SIGNATURE, *KEPT, *DROPPED]],
        )
        for (function,) in cursor.fetchall():
            cursor.execute(f"DROP FUNCTION {function}")


def fault(connection: BaseDatabaseWrapper) -> Fault | None:
    """What is wrong with the function that this role's checks call; None if nothing is."""
    migrate = f"Run manage.py migrate doc_priority --database {connection.alias}."
    with connection.cursor() as cursor:
        schema = _schema_of_table(cursor)
        cursor.execute(
            """
            SELECT quote_ident(nspname), prosrc, has_function_privilege(p.oid, 'EXECUTE'),
                   quote_ident(current_user), to_regprocedure(%s) IS NULL
              FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
             WHERE p.oid = to_regprocedure(%s)
            """,
            [f"{schema}.{SIGNATURE}", SIGNATURE],
        )
        row = cursor.fetchone()
    if row is None:
        return Fault(f"{NAME} is missing.", migrate, blocks=True)
    called_schema, text, executable, role, missing = row
    called = f"{called_schema}.{SIGNATURE}"
    if not executable:
        return Fault(
            f"The role {role} may not execute {NAME}.",
            f"Run, as the function's owner: GRANT EXECUTE ON FUNCTION {called} TO {role};",
            blocks=True,
        )
    if schema and called_schema != schema:
        return Fault(
            f"A check calls {called_schema}.{NAME}, but the counters are in the schema {schema}.",
            migrate
            if missing
            else f"Run DROP FUNCTION {called}; or take {called_schema} out of the search_path.",
            blocks=text != _BODY,
        )
    if text != _BODY:
        return Fault(f"{NAME} has the text of another version.", migrate, blocks=False)
    return None


def _schema_of_table(cursor: CursorWrapper) -> str | None:
    """The schema of the table that a check would count in, quoted; None when there is none."""
    cursor.execute(
        """
        SELECT quote_ident(nspname)
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.oid = to_regclass('doc_priority_counter')
        """
    )
    row = cursor.fetchone()
    return row[0] if row else None
