"""What the demo fills the portal with is what a busy portal looks like."""

from collections import Counter as Tally
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from django.contrib.auth.models import Group, User
from django.db.models import Max, Min
from django_tasks_db.models import DBTaskResult

from doc_priority.models import Customer, DocumentDecision, Event
from example_project.demo import people
from example_project.demo.companies import COMPANIES, CONTRACT, FLOODING, VISITED, Size, of_size
from example_project.demo.drops import day_before
from example_project.demo.filling import fill
from example_project.portal.models import Client, Document, Member
from example_project.portal.requeueing import queue_all_that_waits
from example_project.portal.services import delete_client

HOUR = timedelta(hours=1)


def say(text: str) -> None:
    """Nobody listens."""


def test_the_companies_are_many_and_each_is_its_own() -> None:
    assert len(COMPANIES) == 300
    assert len({company.name for company in COMPANIES}) == 300
    assert len({company.key for company in COMPANIES}) == 300
    assert [len(of_size(size)) for size in Size] == [8, 40, 252]


def test_a_few_large_companies_send_much_of_a_day() -> None:
    noon = datetime(2030, 1, 1, 12, tzinfo=UTC)
    drops = day_before(noon, Random(1))
    large = {company.key for company in of_size(Size.LARGE)}
    of_large = sum(drop.documents for drop in drops if drop.company.key in large)
    by_hour: Tally[int] = Tally()
    for drop in drops:
        by_hour[drop.at.hour] += 1

    assert [drop.at for drop in drops] == sorted(drop.at for drop in drops)
    assert of_large > sum(drop.documents for drop in drops) / 2
    assert by_hour[9] > 3 * by_hour[2]


@pytest.fixture
def filled(db: None) -> None:
    fill(say=say)


@pytest.mark.usefixtures("filled")
class TestFilled:
    def test_it_looks_like_a_day_of_a_busy_portal(self) -> None:
        now = datetime.now(UTC)
        days = Document.objects.aggregate(first=Min("dropped_at"), last=Max("dropped_at"))
        live = Tally(Customer.objects.live().values_list("priority", flat=True))

        assert Client.objects.count() == Customer.objects.count() == 300
        assert Document.objects.count() == DocumentDecision.objects.count() > 2500
        assert 22 * HOUR < now - days["first"] < 25 * HOUR
        assert now - days["last"] < HOUR / 10
        assert set(live) == set(range(1, 10))
        assert live[1] > 200
        assert 5 <= live[7] + live[8] + live[9] < 40

    def test_the_flood_still_waits(self) -> None:
        waiting = Document.objects.filter(status="queued")

        assert waiting.filter(client__key=FLOODING.key, priority=9).count() > 200
        assert not waiting.filter(priority__lt=7).exists()
        assert not Document.objects.filter(status="processing").exists()

    def test_what_waits_is_in_the_queue_at_its_priority(self) -> None:
        queue_all_that_waits()

        queued = DBTaskResult.objects.ready().values_list("args_kwargs__kwargs__reference")
        waiting = Document.objects.in_worker_order()
        assert [reference for (reference,) in queued] == [row.reference for row in waiting]
        assert not waiting.filter(level=0).exists()
        assert DocumentDecision.objects.count() == Document.objects.count()

    def test_support_has_been_busy_and_said_why(self) -> None:
        kinds = Tally(Event.objects.values_list("kind", flat=True))

        assert kinds == {"policy": 2, "reset": 3, "pin": 2}
        assert not Event.objects.filter(reason="").exists()
        assert Event.objects.get(kind="reset", reason__contains="scanner").actor == "support"
        assert Customer.objects.live().filter(pinned=True).count() == 2
        assert Customer.objects.filter(policy__name=CONTRACT).count() == 6

    def test_the_four_people_have_what_they_need(self) -> None:
        everybody = User.objects.prefetch_related("groups")

        assert all(user.check_password(people.PASSWORD) for user in everybody)
        assert {
            user.username: [group.name for group in user.groups.all()] for user in everybody
        } == {"admin": [], "support": ["support"], "viewer": ["viewer"], "client": ["submitter"]}
        assert User.objects.get(username="admin").is_superuser
        assert Member.objects.get().client.key == VISITED.key

    def test_data_of_a_version_without_roles_gets_them(self) -> None:
        Group.objects.all().delete()

        fill(say=say)

        assert User.objects.get(username="support").has_perm("doc_priority.reset_customer")

    def test_a_second_start_uses_the_data(self) -> None:
        documents = Document.objects.count()
        heard: list[str] = []

        fill(say=heard.append)

        assert Document.objects.count() == documents
        assert heard == [f"The data of the last start is used: {documents:,} documents."]

    def test_data_older_than_a_day_is_followed_by_a_new_day(self) -> None:
        documents = Document.objects.count()
        delete_client(Client.objects.get(key=VISITED.key))
        Document.objects.update(dropped_at=datetime.now(UTC) - timedelta(days=2))
        documents = Document.objects.count()

        fill(say=say)

        assert Document.objects.count() > documents + 2000
        assert Client.objects.count() == 299
        assert User.objects.count() == 4
