"""PostgreSQL's function for a check: when `migrate` creates, replaces and drops it."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from doc_priority import services
from doc_priority.counters import postgresql_function
from doc_priority.readiness import Item, readiness
from tests.vectors import START

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]

TYPES = "text, text, bigint, boolean, text, bigint, text, integer[]"
SIGNATURE = f"doc_priority_check({TYPES})"
ANOTHER_TEXT = "RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
PARAMETERS = (
    "a_customer text, a_document text, a_at bigint, a_create boolean, a_lock_timeout text, "
    "a_reset_interval bigint, a_recovery text, a_thresholds integer[]"
)


def run(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def ask(query: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone()[0]


def doctor(capsys: pytest.CaptureFixture[str]) -> tuple[str, str, str]:
    """What the doctor says about the function."""
    with suppress(CommandError):
        call_command("doc_priority", "doctor", "--json")
    finding = json.loads(capsys.readouterr().out)[-1]
    assert finding["subject"] == "function"
    return finding["level"], finding["message"], finding["remedy"]


def function_item() -> Item:
    (item,) = (item for item in readiness().items if item.name == "function")
    return item


@pytest.fixture
def web() -> Iterator[str]:
    """A role that may read and write the tables; the rollback of the test removes it."""
    role = f"{connection.settings_dict['NAME']}_web"
    run(
        f"CREATE ROLE {role}",
        f"GRANT USAGE ON SCHEMA public TO {role}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
        f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role}",
    )
    yield role
    run("RESET ROLE")


def test_migrate_replaces_another_text_and_keeps_owner_and_grants(web: str) -> None:
    """A function with the current text is not replaced."""
    with CaptureQueriesContext(connection) as queries:
        call_command("migrate", "doc_priority", verbosity=0)
    assert [one["sql"] for one in queries if " FUNCTION " in one["sql"]] == []

    owner = f"{connection.settings_dict['NAME']}_owner"
    run(
        f"CREATE ROLE {owner}",
        f"ALTER FUNCTION {SIGNATURE} OWNER TO {owner}",
        f"REVOKE EXECUTE ON FUNCTION {SIGNATURE} FROM PUBLIC",
        f"GRANT EXECUTE ON FUNCTION {SIGNATURE} TO {web}",
        f"CREATE OR REPLACE FUNCTION doc_priority_check({PARAMETERS}) {ANOTHER_TEXT}",
    )
    call_command("migrate", "doc_priority", verbosity=0)
    told = ask(
        "SELECT proowner::regrole::text || ' ' || proacl::text FROM pg_proc "
        f"WHERE oid = '{SIGNATURE}'::regprocedure"
    )
    assert told == f"{owner} {{{owner}=X/{owner},{web}=X/{owner}}}"
    run(f"SET ROLE {web}")
    assert services.check("acme", at=START).priority == 1


def test_a_role_that_may_not_execute_it_is_told_the_grant(
    web: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(f"REVOKE EXECUTE ON FUNCTION {SIGNATURE} FROM PUBLIC", f"SET ROLE {web}")
    message = f"The role {web} may not execute doc_priority_check."
    grant = f"GRANT EXECUTE ON FUNCTION public.{SIGNATURE} TO {web};"
    remedy = f"Run, as the function's owner: {grant}"
    assert doctor(capsys) == ("ERROR", message, remedy)
    assert function_item() == Item("function", False, f"{message} {remedy}", blocks=True)

    run("RESET ROLE", grant, f"SET ROLE {web}")
    assert doctor(capsys)[0] == "OK"
    assert readiness().ready
    assert services.check("acme", document="INV-1", at=START).priority == 1


def test_each_schema_has_a_function_beside_its_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """As with django-tenants: a schema for each tenant, and a shared one."""
    for tenant, documents in [("tenant_a", 1), ("tenant_b", 2)]:
        run(f"CREATE SCHEMA {tenant}", f"SET LOCAL search_path = {tenant}")
        call_command("migrate", "doc_priority", verbosity=0)
        run(f"SET LOCAL search_path = {tenant}, public")
        services.check_many(["acme"] * documents)
        services.check("acme")
        assert doctor(capsys)[0] == "OK"
        assert ask(f"SELECT to_regprocedure('{tenant}.{SIGNATURE}') IS NOT NULL")
    counted = "SELECT pending_documents FROM {}.doc_priority_counter"
    assert [ask(counted.format(tenant)) for tenant in ["tenant_a", "tenant_b"]] == [-1, -2]
    assert ask("SELECT count(*) FROM public.doc_priority_counter") == 0

    # It replaces that of one schema only.
    run("CREATE SCHEMA tenant", "SET LOCAL search_path = tenant")
    call_command("migrate", "doc_priority", verbosity=0)
    for schema in ["tenant", "public"]:
        run(f"CREATE OR REPLACE FUNCTION {schema}.doc_priority_check({PARAMETERS}) {ANOTHER_TEXT}")
    run("SET LOCAL search_path = tenant, public")
    assert doctor(capsys)[1] == "doc_priority_check has the text of another version."
    call_command("migrate", "doc_priority", verbosity=0)
    assert doctor(capsys)[0] == "OK"
    run("SET LOCAL search_path = public")
    assert doctor(capsys)[1] == "doc_priority_check has the text of another version."


def test_functions_of_the_same_name_with_other_arguments_do_no_harm(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run("CREATE SCHEMA earlier", "SET LOCAL search_path = earlier, public")
    for key, arguments in {
        "none": "",
        "one": "a text",
        "one-more": f"{TYPES}, text",
        "others": "varchar, varchar, bigint, boolean, varchar, integer, varchar, text",
    }.items():
        run(
            f"CREATE FUNCTION earlier.doc_priority_check({arguments}) RETURNS text LANGUAGE sql "
            "AS 'SELECT NULL'",
            f"CREATE OR REPLACE FUNCTION public.doc_priority_check({PARAMETERS}) {ANOTHER_TEXT}",
        )
        call_command("migrate", "doc_priority", verbosity=0)
        assert doctor(capsys)[0] == "OK"
        assert services.check(key, at=START).priority == 1
        run(f"DROP FUNCTION earlier.doc_priority_check({arguments})")


def test_a_function_that_hides_ours_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    run(
        "CREATE SCHEMA earlier",
        f"CREATE FUNCTION earlier.doc_priority_check({PARAMETERS}) {ANOTHER_TEXT}",
        "SET LOCAL search_path = earlier, public",
    )
    call_command("migrate", "doc_priority", verbosity=0)
    message = "A check calls earlier.doc_priority_check, but the counters are in the schema public."
    drop = f"DROP FUNCTION earlier.{SIGNATURE};"
    remedy = f"Run {drop} or take earlier out of the search_path."
    assert doctor(capsys) == ("ERROR", message, remedy)
    assert function_item() == Item("function", False, f"{message} {remedy}", blocks=True)
    run(drop)
    assert doctor(capsys)[0] == "OK"

    # So is that a schema has none of its own, where it counts all the same.
    run("CREATE SCHEMA tenant", "SET LOCAL search_path = tenant")
    call_command("migrate", "doc_priority", verbosity=0)
    run("DROP FUNCTION doc_priority_check", "SET LOCAL search_path = tenant, public")
    assert services.check("acme", at=START).priority == 1
    level, message, remedy = doctor(capsys)
    assert (level, remedy) == ("ERROR", "Run manage.py migrate doc_priority --database default.")
    assert function_item() == Item("function", False, f"{message} {remedy}", blocks=False)
    call_command("migrate", "doc_priority", verbosity=0)
    assert doctor(capsys)[0] == "OK"


def test_a_later_version_with_other_arguments_leaves_the_function_of_this_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The version after that one drops it."""
    run(f"CREATE FUNCTION doc_priority_check_0() {ANOTHER_TEXT}")
    monkeypatch.setattr(postgresql_function, "NAME", "doc_priority_check_2")
    monkeypatch.setattr(postgresql_function, "SIGNATURE", f"doc_priority_check_2({TYPES})")
    monkeypatch.setattr(postgresql_function, "KEPT", (SIGNATURE,))
    monkeypatch.setattr(postgresql_function, "DROPPED", ("doc_priority_check_0()",))
    names = (
        "SELECT string_agg(oid::regprocedure::text, ' ' ORDER BY proname) "
        "FROM pg_proc WHERE starts_with(proname, 'doc_priority_')"
    )
    call_command("migrate", "doc_priority", verbosity=0)
    of_today = SIGNATURE.replace(", ", ",")
    assert ask(names) == f"{of_today} {of_today.replace('check', 'check_2')}"
    as_sent_today = (
        "SELECT doc_priority_check('acme', '', NULL, True, '2000', 1500, 'idle', "
        "'{-2,-4,-6,-8,-10,-12,-14,-20}')"
    )
    assert [ask(as_sent_today).split("|")[0] for _ in range(2)] == ["0", "-1"]

    run("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "doc_priority", "zero", verbosity=0)
    assert ask(names) is None


def test_what_another_role_owns_stays_when_the_tables_go(web: str) -> None:
    run(
        f"CREATE SCHEMA tenant AUTHORIZATION {web}",
        "CREATE SCHEMA later",
        f"GRANT USAGE ON SCHEMA later TO {web}",
        f"CREATE FUNCTION later.doc_priority_check({PARAMETERS}) {ANOTHER_TEXT}",
        f"SET ROLE {web}",
        "SET LOCAL search_path = tenant, later",
    )
    call_command("migrate", "doc_priority", verbosity=0)
    assert ask(f"SELECT to_regprocedure('tenant.{SIGNATURE}') IS NOT NULL")
    call_command("migrate", "doc_priority", "zero", verbosity=0)
    assert ask(f"SELECT to_regprocedure('tenant.{SIGNATURE}') IS NULL")
    assert ask(f"SELECT to_regprocedure('later.{SIGNATURE}') IS NOT NULL")


@pytest.mark.django_db(transaction=True)
def test_it_comes_and_goes_with_the_tables() -> None:
    there = f"SELECT to_regprocedure('{SIGNATURE}') IS NOT NULL"
    call_command("migrate", "doc_priority", "zero", verbosity=0)
    try:
        assert not ask(there)
    finally:
        call_command("migrate", verbosity=0)
    assert ask(there)
