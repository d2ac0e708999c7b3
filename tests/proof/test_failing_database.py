"""Databases that will not: every call fails in time and by name, does nothing, and later works."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError, connection
from rest_framework.test import APIClient

from doc_priority import services
from doc_priority.models import Counter, DocumentDecision
from tests.databases import another_session, connection_elsewhere, everything_stored
from tests.private_postgresql import PrivatePostgresql, obstacle, private_postgresql, standby_of

pytestmark = [pytest.mark.proof, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def grace(full: bool) -> float:
    """After what it had to wait for, a caller is told in so many seconds; CI is a busy machine."""
    return 0.5 if full else 2.0


@pytest.fixture
def client() -> APIClient:
    """Somebody who may do everything, and whom the portal knows without its database."""
    client = APIClient()
    client.force_authenticate(User(username="root", is_superuser=True))
    return client


@pytest.fixture
def server(transactional_db: None) -> Iterator[PrivatePostgresql | None]:
    """PostgreSQL that bears what no server does that others need; the connection leads to it."""
    if connection.vendor != "postgresql":
        yield None
        return
    if reason := obstacle():
        pytest.skip(reason)
    with private_postgresql("-F") as server, connection_elsewhere(**server.settings):
        call_command("migrate", verbosity=0)
        yield server


def error_of(call: Callable[[], object]) -> str:
    """The error's name and its code: the server's, or the driver's; empty if there was none."""
    try:
        call()
    except DatabaseError as error:
        cause = error.__cause__
        code = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None)
        if code is None and isinstance(error.args[0], int):
            code = error.args[0]
        return f"{type(error).__name__} {code or type(cause).__name__}"
    return ""


def status_of(client: APIClient, method: str, path: str, body: dict[str, Any]) -> str:
    answer = client.generic(
        method, f"/api/v1/{path}", json.dumps(body), content_type="application/json"
    )
    if answer.status_code < 400:
        return str(answer.status_code)
    assert answer["Content-Type"] == "application/problem+json"
    if answer.status_code == 503:
        assert int(answer["Retry-After"]) >= 1
    return f"{answer.status_code} {answer.json()['code']}"


def assert_works(client: APIClient) -> None:
    """Over the services and over REST, each counting once."""
    pending = services.check("acme").pending_documents
    assert status_of(client, "POST", "customers/acme/check/", {}) == "200"
    assert services.check("acme").pending_documents == pending - 2


def options(**further: Any) -> dict[str, Any]:
    """The usual options of the connection, and further ones."""
    return {**connection.settings_dict["OPTIONS"], **further}


def test_calls_fail_by_name_do_nothing_and_work_again(
    server: PrivatePostgresql | None, client: APIClient, grace: float
) -> None:
    """Where no session is left, or only reading is allowed, and on a standby."""
    services.check_many([("acme", "1"), "acme"])
    thresholds = [0, -1, -2, -3, -4, -5, -6, -7]
    services.create_policy("gold", reset_interval=1500, recovery="idle", thresholds=thresholds)
    services.set_policy("acme", policy="gold")
    assert_works(client)  # the first request loads the portal
    until = datetime.now(UTC) + timedelta(hours=1)
    calls: list[Callable[[], object]] = [
        lambda: services.check("acme"),
        lambda: services.check("acme", document="D"),
        lambda: services.check_many(["acme", "new"]),
        lambda: services.check_many([("acme", "D")]),
        lambda: services.reset("acme"),
        lambda: services.pin("acme", priority=1, until=until),
        lambda: services.forget("acme"),
    ]
    pin = {"priority": 1, "until": until.isoformat(), "reason": "x"}
    requests: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "customers/acme/check/", {}),
        ("POST", "customers/acme/check/", {"document": "2"}),
        ("POST", "checks/", {"items": [{"customer": "acme"}, {"customer": "new"}]}),
        ("POST", "customers/acme/reset/", {"reason": "x"}),
        ("PUT", "customers/acme/pin/", pin),
        ("PATCH", "customers/acme/", {"policy": None}),
        ("PATCH", "customers/acme/", {"name": "x", "policy": None}),
        ("DELETE", "customers/acme/", {}),
    ]

    def assert_all_fail(error: str, **place: Any) -> None:
        """Calls over a connection with these settings; somebody else has one already."""
        told, seconds, before = [], [], everything_stored()
        waits = 0.2 if "pool" in place.get("OPTIONS", ()) else 0
        with connection_elsewhere(**place), another_session() as taken:
            taken.ensure_connection()
            for ask in [
                *(partial(error_of, call) for call in calls),
                *(partial(status_of, client, *request) for request in requests),
            ]:
                began = time.monotonic()
                told.append(ask())
                seconds.append(time.monotonic() - began)
            if waits:
                taken.close()
                taken.close_pool()
        print(f"\n{error}: {len(told)} calls, the slowest after {max(seconds):.2f} s")
        assert told == [error] * len(calls) + ["503 database_unavailable"] * len(requests)
        assert max(seconds) <= waits + grace
        assert everything_stored() == before
        assert_works(client)

    @contextmanager
    def database_user(limits: str, rights: str) -> Iterator[dict[str, str]]:
        """The settings of a user of the server who may not do everything."""
        user, vendor = f"stuck_{os.getpid()}", connection.vendor
        name = connection.settings_dict["NAME"]
        kind, login = (
            ("ROLE", "LOGIN PASSWORD") if vendor == "postgresql" else ("USER", "IDENTIFIED BY")
        )
        with another_session() as administrator, administrator.cursor() as cursor:
            cursor.execute(f"CREATE {kind} {user} {login} 'stuck' {limits}")
            try:
                if vendor == "mysql":
                    cursor.execute(f"GRANT {rights} ON {name}.* TO {user}")
                yield {"USER": user, "PASSWORD": "stuck"}
            finally:
                cursor.execute(f"DROP {kind} {user}")

    begin = options().get("init_command")
    if connection.vendor == "postgresql":
        pool = options(pool={"min_size": 1, "max_size": 1, "timeout": 0.2})
        assert_all_fail("OperationalError PoolTimeout", CONN_MAX_AGE=0, OPTIONS=pool)
        # Who lets nobody in gives no code.
        with database_user("CONNECTION LIMIT 1", "ALL") as user:
            assert_all_fail("OperationalError OperationalError", **user)
        read_only = options(options="-c default_transaction_read_only=on")
        assert_all_fail("InternalError 25006", OPTIONS=read_only)
        with standby_of(server) as standby:
            assert_all_fail("InternalError 25006", **standby.settings)
    elif connection.vendor == "mysql":
        with database_user("WITH MAX_USER_CONNECTIONS 1", "ALL") as user:
            assert_all_fail("OperationalError 1226", **user)
        with database_user("", "SELECT") as user:
            assert_all_fail("OperationalError 1142", **user)
        read_only = options(init_command=f"{begin}; SET SESSION TRANSACTION READ ONLY")
        assert_all_fail("OperationalError 1792", OPTIONS=read_only)
    else:
        file = Path(connection.settings_dict["NAME"]).as_uri()
        assert_all_fail("OperationalError SQLITE_READONLY", NAME=f"{file}?mode=ro")
        read_only = options(init_command=f"{begin}; PRAGMA query_only = ON")
        assert_all_fail("OperationalError SQLITE_READONLY", OPTIONS=read_only)


@pytest.mark.parametrize(
    "narrow",
    [
        pytest.param("file", marks=pytest.mark.sqlite),
        pytest.param("disk", marks=[pytest.mark.sqlite, pytest.mark.postgresql]),
    ],
)
def test_what_finds_no_room_leaves_nothing_half_done(
    narrow: str, server: PrivatePostgresql | None, client: APIClient, grace: float
) -> None:
    """Decisions with long names are kept until there is no room for one more.

    Not on MariaDB: InnoDB that finds no room in a rollback ends the whole server.
    """

    def check_many(name: str) -> str:
        items = [("acme", f"{name}-{number}".ljust(150, ".")) for number in range(100)]
        return error_of(lambda: services.check_many(items))

    def check(name: str) -> str:
        return error_of(lambda: services.check("acme", document=name.ljust(150, ".")))

    def over_rest(name: str) -> str:
        body = {"document": name.ljust(150, ".")}
        return status_of(client, "POST", "customers/acme/check/", body)

    def difference() -> int:
        """Stays the same while every decision is counted, and every count is one of these."""
        pending = Counter.objects.get(customer="acme").pending_documents
        return pending + DocumentDecision.objects.filter(customer="acme").count()

    code = {"postgresql": "53100", "sqlite": "SQLITE_FULL"}[connection.vendor]
    with ExitStack() as disk, ExitStack() as place:
        make_room: Callable[[], object] = place.close
        size = 512 * 1024
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                cursor.execute("PRAGMA page_count")
                (pages,) = cursor.fetchone()
            file = Path(connection.settings_dict["NAME"])
            size += file.stat().st_size
        if narrow == "disk":
            if os.geteuid() != 0:
                pytest.skip("only root may mount a disk")
            folder = disk.enter_context(TemporaryDirectory())
            mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
            mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
            if mounted.returncode != 0:
                pytest.skip(mounted.stderr.strip())
            disk.callback(subprocess.run, ["umount", "--lazy", folder], check=True)
            larger = ["mount", "-o", "remount,size=64m", folder]
            make_room = partial(subprocess.run, larger, check=True)
        if connection.vendor == "postgresql":
            shutil.chown(folder, "postgres")
            with connection.cursor() as cursor:
                cursor.execute(f"CREATE TABLESPACE small LOCATION '{folder}'")
                cursor.execute("ALTER TABLE doc_priority_documentdecision SET TABLESPACE small")
        elif narrow == "disk":
            connection.close()
            place.enter_context(connection_elsewhere(NAME=shutil.copy(file, folder)))
        else:
            begin = f"{options()['init_command']}; PRAGMA max_page_count = {pages + 20}"
            place.enter_context(connection_elsewhere(OPTIONS=options(init_command=begin)))

        assert_works(client)  # the first request loads the portal
        before = difference()
        full, unavailable = f"OperationalError {code}", "503 database_unavailable"
        for way, expected in [(check_many, full), (check, full), (over_rest, unavailable)]:
            told = ""
            for number in range(1_000):
                stored, began = everything_stored(), time.monotonic()
                told = way(f"{way.__name__}-{number}")
                seconds = time.monotonic() - began
                if told not in ("", "200"):
                    break
            print(f"\n{way.__name__}: {told} after {number} calls, in {seconds:.2f} s")
            assert told == expected
            assert everything_stored() == stored
            assert seconds <= grace
        assert difference() == before

        make_room()
        assert_works(client)
        assert check_many("again") == ""
