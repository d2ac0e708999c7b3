"""A portal's mixed traffic under gunicorn: nothing fails, grows, tires or is counted wrongly.

It takes half a minute, and half an hour with --full. It runs on PostgreSQL, which tells whose
connections are whose.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections import Counter as Multiset
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from html import unescape
from http.client import HTTPConnection
from itertools import repeat
from pathlib import Path
from statistics import median
from threading import Event
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, connections
from django.test import Client
from django.utils.crypto import get_random_string
from knox.models import AuthToken

from doc_priority import services
from doc_priority.models import Counter, Customer, DocumentDecision
from doc_priority.services.pruning import prune
from tests.databases import environment_of_the_test_database
from tests.factories import DocumentDecisionFactory
from tests.settings import BASE_DIR

pytestmark = [
    pytest.mark.proof,
    pytest.mark.postgresql,
    pytest.mark.timeout(3_000),
    pytest.mark.django_db(transaction=True),
]


def test_traffic_fails_nowhere_and_is_counted_exactly(full: bool) -> None:
    warm_up, seconds, per_second = (4_000, 1_800, 40) if full else (200, 10, 20)
    # Of few requests the slowest hundredth is one, so a short run looks at the middle.
    part, percentile, slowing, growth = (6, 99, 1.2, 0.03) if full else (3, 50, 8, 0.1)
    total = seconds * per_second
    prunes, samples, old = (60, 240, 200) if full else (2, 40, 200)

    site = "soaked"  # the name under which the server knows the connections of the workers
    user = User.objects.create_superuser("soak")
    browser = Client()
    browser.force_login(user)
    session = browser.cookies[settings.SESSION_COOKIE_NAME].value
    csrf = get_random_string(32)
    cookies = f"{settings.SESSION_COOKIE_NAME}={session}; {settings.CSRF_COOKIE_NAME}={csrf}"
    staff = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
    token = f"Token {AuthToken.objects.create(user)[1]}"
    client = {"Authorization": token, "Content-Type": "application/json"}

    def ask(method: str, path: str, body: Any = None, status: int = 200) -> str:
        """JSON for the API; in the admin a body is what somebody fills in on the page there."""
        headers, content = staff, None
        if path.startswith("/api/"):
            headers, content = client, None if body is None else json.dumps(body)
        elif body is not None:
            page = ask("GET", path)
            hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)
            form = {name: unescape(value) for name, value in hidden} | body
            content = urlencode(form)
        with closing(HTTPConnection(*listening.getsockname(), timeout=60)) as http:
            http.request(method, path, content, headers)
            answer = http.getresponse()
            text = answer.read().decode()
        assert answer.status == status, f"{method} {path}: {answer.status} {text[:300]}"
        return text

    counted = [f"counted-{number}" for number in range(100)]
    corrected = [f"corrected-{number}" for number in range(20)]
    of_staff = [f"of-staff-{number}" for number in range(20)]
    # The first check of a customer leaves 0 pending documents; each one from here on counts 1.
    services.check_many([*counted, *corrected, *of_staff])
    ids = list(Customer.objects.filter(key__in=of_staff).values_list("pk", flat=True))

    api, admin = "/api/v1", "/admin/doc_priority"
    reason = {"reason": "Soaked"}
    pin = {"priority": 2, "until": "2100-01-01T00:00:00Z", **reason}
    export = {"action": "export_as_csv", "select_across": "1", "_selected_action": "1"}
    bulk = {"items": [{"customer": key} for key in counted[:20]]}
    # All documents are of one customer, whom others check at the same time.
    new = ("POST", f"{api}/customers/counted-0/check/", {"document": "document-%number"})
    nothing = [("GET", "/nothing/", None, 404)]
    shares: list[tuple[int, list[Any]]] = [
        (28, [("POST", f"{api}/customers/%counted/check/", {})]),
        (20, [new]),
        (5, [new, new]),
        (5, [("POST", f"{api}/checks/", bulk)]),
        (12, [("GET", f"{api}/customers/%counted/")]),
        (2, [("GET", f"{api}/customers/%corrected/events/")]),
        (2, [("GET", f"{api}/customers/%counted/documents/")]),
        (4, [("GET", f"{api}/customers/?ordering=-priority")]),
        (3, [("GET", f"{api}/stats/")]),
        (1, [("POST", f"{api}/customers/%corrected/reset/", reason)]),
        (1, [("PUT", f"{api}/customers/%corrected/pin/", pin)]),
        (1, [("DELETE", f"{api}/customers/%corrected/pin/", reason)]),
        (
            1,
            [
                ("POST", f"{api}/customers/", {"customer": "new-%number"}, 201),
                ("DELETE", f"{api}/customers/new-%number/", reason, 204),
            ],
        ),
        (4, [("GET", f"{admin}/customer/?priority=%priority")]),
        (6, [("GET", f"{admin}/customer/live/?live=1&live=2&live=3")]),
        (1, [("POST", f"{admin}/customer/reset/?customer=%id", reason, 302)]),
        (1, [("POST", f"{admin}/customer/", export)]),
        (2, [("GET", f"{admin}/customer/dashboard/")]),
        (1, [("GET", f"{admin}/event/")]),
        (10, nothing),
    ]
    # Each kind is spread evenly, so that all minutes are mixed alike.
    turns = [
        ((turn + place / len(shares)) / share, place)
        for place, (share, _) in enumerate(shares)
        for turn in range(share)
    ]
    mix = [shares[place][1] for _, place in sorted(turns)]

    def answer(number: int, due: float) -> float:
        """Since it was due: who is held up by others waits as well."""
        drawn = {
            "%number": str(number),
            "%counted": counted[number * 7 % 100],
            "%corrected": corrected[number % 20],
            "%priority": str(1 + number % 9),
            "%id": str(ids[number // len(mix) % 20]),
        }
        requests = json.dumps(mix[number % len(mix)])
        for name, value in drawn.items():
            requests = requests.replace(name, value)
        for request in json.loads(requests):
            ask(*request)
            answered.append(request)
        return time.monotonic() - due

    def grow_old_and_prune() -> int:
        """As a portal's cron does it, once so many decisions have become too old."""
        customer = Customer.objects.get(key="corrected-0")
        moment = datetime.now(UTC) - timedelta(days=45)
        DocumentDecision.objects.bulk_create(
            DocumentDecisionFactory.build_batch(old, customer=customer, decided_at=moment)
        )
        *_, last = prune(batch_size=50)
        connections.close_all()
        return last.decisions

    def children() -> set[int]:
        path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        return {int(child) for child in path.read_text("utf-8").split()}

    def megabytes() -> float:
        """What all workers have in memory."""
        sizes = [Path(f"/proc/{child}/statm").read_text("utf-8") for child in children()]
        pages = sum(int(size.split()[1]) for size in sizes)
        return pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000

    def connections_of_workers() -> int:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND application_name = %s AND backend_type = 'client backend'",
                [site],
            )
            return int(cursor.fetchone()[0])

    answered: list[Any] = []
    asked: list[Future[Any]] = []
    pruned: list[Future[Any]] = []
    memory, connected = [], []
    # Who asks before the workers are there waits, for the address is bound already.
    command = [sys.executable, "-m", "gunicorn", "--workers", "4" if full else "2"]
    command += ["--log-level", "error", "--no-control-socket"]
    with (
        socket.create_server(("127.0.0.1", 0), backlog=128) as listening,
        ThreadPoolExecutor(16) as people,
        ExitStack() as stack,
    ):
        descriptor = listening.fileno()
        process = subprocess.Popen(
            [*command, "--bind", f"fd://{descriptor}", "django.core.wsgi:get_wsgi_application()"],
            cwd=BASE_DIR,
            env=environment_of_the_test_database(application_name=site),
            pass_fds=[descriptor],
        )
        stack.callback(process.wait, 60)
        stack.callback(process.terminate)
        list(people.map(answer, range(-warm_up, 0), repeat(0)))
        workers = children()
        began = time.monotonic()
        for number in range(total):
            due = began + number / per_second
            # The pace of the traffic does not depend on how quick the answers are.
            Event().wait(max(0, due - time.monotonic()))
            asked.append(people.submit(answer, number, due))
            if number % (total // prunes) == 0:
                pruned.append(people.submit(grow_old_and_prune))
            if number % (total // samples) == 0:
                memory.append(megabytes())
                connected.append(connections_of_workers())
        failed = [str(one.exception()) for one in [*asked, *pruned] if one.exception()]
        assert children() == workers, "a worker was replaced"
    lasted = time.monotonic() - began
    assert not failed, f"{len(failed)} of {total:,} requests failed: {failed[:10]}"

    # Early and late are the first and the last part, each with the middle of what does nothing.
    window, few = total // part, samples // part
    bare = {number for number in range(total) if mix[number % len(mix)] is nothing}
    took = [one.result() * 1000 for one in asked]
    early, late = (
        sorted(took[number] for number in numbers if number not in bare)
        for numbers in (range(window), range(total - window, total))
    )
    early_bare = median(took[number] for number in bare if number < window)
    late_bare = median(took[number] for number in bare if number >= total - window)
    place = len(early) * percentile // 100
    early_memory, late_memory = median(memory[:few]), median(memory[-few:])
    print(
        f"\n{total:,} requests in {lasted:.0f} s by {len(workers)} workers, none failed",
        f"memory {early_memory:.0f} MB, then {late_memory:.0f} MB",
        f"connections {max(connected[:few])}, then {max(connected[-few:])}",
        f"{percentile}th percentile {early[place]:.0f} ms, then {late[place]:.0f} ms",
        f"an answer that does nothing {early_bare:.0f} ms, then {late_bare:.0f} ms",
        f"{old * prunes:,} old decisions pruned beside it",
        sep="\n",
    )
    assert late_memory <= early_memory * (1 + growth)
    assert max(connected[-few:]) <= max(connected[:few])
    # A short run allows for a machine that others have slowed down meanwhile.
    machine = 1 if full else max(1, late_bare / early_bare)
    assert late[place] <= early[place] * slowing * machine
    assert not full or lasted <= seconds * 1.01, "the workers did not keep up with the pace"

    bulks = [path for _, path, *_ in answered if path.endswith("/checks/")]
    checks = [(path, body) for _, path, *body in answered if path.endswith("/check/")]
    documents = {body["document"] for _, [body] in checks if body}
    expected = Multiset(path.split("/")[4] for path, [body] in checks if not body)
    expected.update([*counted[:20] * len(bulks), *["counted-0"] * len(documents)])
    counters = Counter.objects.filter(customer__key__in=counted)
    pending = dict(counters.values_list("customer__key", "pending_documents"))
    assert pending == {key: -expected[key] for key in counted}
    kept = DocumentDecision.objects.values_list("customer__key", "document")
    assert set(kept) == {("counted-0", document) for document in documents}
    assert len(kept) == len(documents)
    assert sum(one.result() for one in pruned) == old * prunes
