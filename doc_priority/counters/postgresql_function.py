"""The function that makes a check one call on PostgreSQL: its text, and how it gets there.

It gives the verdict as one text, its numbers joined by `|` and the policy's name last: a row of
columns would be planned and put together anew for every call.

`migrate` creates it in the schema of the counters' table, replaces it when its text has changed,
and takes it away with the tables. Its body names tables without a schema, and the call names the
function without one, so each schema of a search_path may have tables and function of its own.
"""

from dataclasses import dataclass

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from doc_priority.types import FLOOR

# Processes of the version before call their function until they restart. So when arguments change,
# NAME becomes a new one, the old SIGNATURE moves to KEPT, and what stood there moves to DROPPED.
# A second function of the same name would not do: version 0.1.0 looks for its function by the name
# alone, finds two, and then is not ready and cannot migrate.
NAME = "doc_priority_check"

# CREATE OR REPLACE takes no other names for the same arguments either.
_PARAMETERS = """
    a_customer text, a_document text, a_at bigint, a_create boolean, a_lock_timeout text,
    a_reset_interval bigint, a_recovery text, a_thresholds integer[]
"""

SIGNATURE = f"{NAME}(text, text, bigint, boolean, text, bigint, text, integer[])"

KEPT: tuple[str, ...] = ()
"""The full signatures that processes of the version before call."""

DROPPED: tuple[str, ...] = ()
"""The full signatures of older versions, which `migrate` drops."""

_TABLE = "doc_priority_counter"

_BODY = f"""
DECLARE
    k record;
    d record;
    r_pending_documents bigint;
    r_priority integer;
    r_previous_priority integer;
    r_pinned boolean;
    r_reset boolean;
    r_resets_at bigint;
    r_policy text := '';
    v_policy_id bigint;
    host_lock_timeout text := current_setting('lock_timeout');
    v_now bigint;
    v_recovered_at bigint;
    v_interval bigint := a_reset_interval * 1000000;
    v_tenth bigint := a_reset_interval * 100000;
    v_recovery text := a_recovery;
    t integer[] := a_thresholds;
    v_halvings bigint;
BEGIN
    PERFORM set_config('lock_timeout', a_lock_timeout, true);
    FOR attempt IN 1..10 LOOP
        -- The counter alone: what else this statement read would be as it was before the wait.
        SELECT c.pending_documents, c.updated_at, c.recovered_at, c.pinned_priority,
               c.pinned_until
          INTO k
          FROM doc_priority_counter c
         WHERE c.customer_id = a_customer
           FOR NO KEY UPDATE;
        EXIT WHEN FOUND;
        IF a_create THEN
            INSERT INTO doc_priority_customer (key, name, created_at)
            VALUES (a_customer, '', COALESCE(
                a_at, (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint))
            ON CONFLICT DO NOTHING;
        END IF;
        INSERT INTO doc_priority_counter (customer_id, pending_documents)
        SELECT u.key, 0 FROM doc_priority_customer u WHERE u.key = a_customer
            ON CONFLICT DO NOTHING;
        -- Only now: who deletes a customer takes the counter first, and so do checks.
        PERFORM 1 FROM doc_priority_customer u WHERE u.key = a_customer FOR KEY SHARE;
        IF NOT FOUND THEN
            EXIT WHEN NOT a_create;
            RAISE foreign_key_violation USING MESSAGE = 'the customer was deleted meanwhile';
        END IF;
    END LOOP;
    IF a_document = '' THEN
        SELECT u.policy_id INTO v_policy_id
          FROM doc_priority_customer u WHERE u.key = a_customer;
    ELSE
        -- COMMIT checks the decision's foreign key, when this timeout holds no longer.
        SELECT u.policy_id INTO v_policy_id
          FROM doc_priority_customer u WHERE u.key = a_customer FOR KEY SHARE;
    END IF;
    IF a_document = '' OR k IS NULL THEN
        PERFORM set_config('lock_timeout', host_lock_timeout, true);
    END IF;
    IF k IS NULL THEN
        RETURN NULL;
    END IF;

    IF a_document <> '' THEN
        SELECT o.* INTO d FROM doc_priority_documentdecision o
         WHERE o.customer_id = a_customer AND o.document = a_document;
        IF FOUND THEN
            PERFORM set_config('lock_timeout', host_lock_timeout, true);
            RETURN concat_ws('|', d.pending_documents, d.priority, d.pinned::integer,
                d.reset::integer, 1, d.decided_at, COALESCE(d.resets_at, 0), d.priority,
                d.policy);
        END IF;
    END IF;

    IF v_policy_id IS NOT NULL THEN
        SELECT p.name, p.reset_interval * 1000000, p.reset_interval * 100000, p.recovery,
               ARRAY[p.threshold_1, p.threshold_2, p.threshold_3, p.threshold_4,
                     p.threshold_5, p.threshold_6, p.threshold_7, p.threshold_8]
          INTO r_policy, v_interval, v_tenth, v_recovery, t
          FROM doc_priority_policy p WHERE p.id = v_policy_id;
    END IF;

    v_now := COALESCE(a_at, (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint);
    IF k.updated_at > v_now THEN
        v_now := k.updated_at;
    END IF;
    IF k.updated_at IS NULL OR v_now - k.updated_at > v_interval
       OR v_recovery = 'window' AND v_now - k.recovered_at > v_interval THEN
        r_pending_documents := 0;
        r_reset := k.updated_at IS NOT NULL;
        v_recovered_at := v_now;
    ELSE
        r_pending_documents := k.pending_documents;
        r_reset := false;
        v_recovered_at := k.recovered_at;
        IF v_recovery = 'halving' THEN
            v_halvings := (v_now - v_recovered_at) / v_tenth;
            v_recovered_at := v_recovered_at + v_halvings * v_tenth;
            r_pending_documents :=
                -((-r_pending_documents) >> LEAST(v_halvings, 30)::integer);
        END IF;
        r_pending_documents := GREATEST(r_pending_documents - 1, {FLOOR});
    END IF;
    UPDATE doc_priority_counter c
       SET pending_documents = r_pending_documents,
           updated_at = v_now,
           recovered_at = v_recovered_at
     WHERE c.customer_id = a_customer;

    r_pinned := COALESCE(v_now < k.pinned_until, false);
    IF r_pinned THEN
        r_priority := k.pinned_priority;
        r_previous_priority := k.pinned_priority;
    ELSE
        r_priority := 1
            + (r_pending_documents < t[1])::integer + (r_pending_documents < t[2])::integer
            + (r_pending_documents < t[3])::integer + (r_pending_documents < t[4])::integer
            + (r_pending_documents < t[5])::integer + (r_pending_documents < t[6])::integer
            + (r_pending_documents < t[7])::integer + (r_pending_documents < t[8])::integer;
        r_previous_priority := CASE WHEN r_pending_documents = 0 THEN 1 ELSE 1
            + (r_pending_documents + 1 < t[1])::integer
            + (r_pending_documents + 1 < t[2])::integer
            + (r_pending_documents + 1 < t[3])::integer
            + (r_pending_documents + 1 < t[4])::integer
            + (r_pending_documents + 1 < t[5])::integer
            + (r_pending_documents + 1 < t[6])::integer
            + (r_pending_documents + 1 < t[7])::integer
            + (r_pending_documents + 1 < t[8])::integer END;
    END IF;
    IF v_recovery = 'idle' THEN
        r_resets_at := v_now + v_interval;
    ELSIF v_recovery = 'window' THEN
        r_resets_at := v_recovered_at + v_interval;
    ELSE
        v_halvings := 0;
        WHILE ((-r_pending_documents) >> v_halvings::integer) > 0 LOOP
            v_halvings := v_halvings + 1;
        END LOOP;
        r_resets_at := LEAST(v_now + v_interval, v_recovered_at + v_halvings * v_tenth);
    END IF;
    IF a_document <> '' THEN
        INSERT INTO doc_priority_documentdecision (customer_id, document, pending_documents,
            priority, pinned, reset, policy, decided_at, resets_at)
        VALUES (a_customer, a_document, r_pending_documents, r_priority, r_pinned, r_reset,
            r_policy, v_now, r_resets_at);
        -- Not before: somebody else may be keeping the same decision, or taking it away.
        PERFORM set_config('lock_timeout', host_lock_timeout, true);
    END IF;
    RETURN concat_ws('|', r_pending_documents, r_priority, r_pinned::integer, r_reset::integer,
        0, v_now, r_resets_at, r_previous_priority, r_policy);
END
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with the function that a check calls, and the remedy."""

    message: str
    remedy: str
    blocks: bool
    """Whether checks fail."""


def follow_tables(connection: BaseDatabaseWrapper) -> None:
    """Install the function where the counters are, and remove it where they are no more."""
    with connection.cursor() as cursor:
        there = _schema_of_table(cursor) is not None
    if there:
        install(connection)
    else:
        remove(connection)


def install(connection: BaseDatabaseWrapper) -> None:
    """Create the function beside the counters, or replace it when its text is another one.

    It is never missing, and keeps its owner and who may execute it.
    """
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        schema = _schema_of_table(cursor)
        cursor.execute(
            "SELECT prosrc FROM pg_proc WHERE oid = to_regprocedure(%s)", [f"{schema}.{SIGNATURE}"]
        )
        if cursor.fetchone() != (_BODY,):
            cursor.execute(
                f"CREATE OR REPLACE FUNCTION {schema}.{NAME} ({_PARAMETERS}) RETURNS text "
                f"LANGUAGE plpgsql AS $body${_BODY}$body$"
            )
        for signature in DROPPED:
            cursor.execute(f"DROP FUNCTION IF EXISTS {schema}.{signature}")


def remove(connection: BaseDatabaseWrapper) -> None:
    """Drop it, and those of versions before, from every schema of the search_path.

    What another role owns is left: it was not made by the role that migrates.
    """
    with connection.cursor() as cursor:
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
    """What keeps this role's checks from calling today's function; None when all is well."""
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
         WHERE c.oid = to_regclass(%s)
        """,
        [_TABLE],
    )
    row = cursor.fetchone()
    return row[0] if row else None
