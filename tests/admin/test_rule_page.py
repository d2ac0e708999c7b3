"""How priorities work: what the page says is what the rule does."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from doc_priority import rules, services
from doc_priority.admin.policy_example import START, clock, example_of, trickle_of
from doc_priority.models import Policy
from doc_priority.types import (
    FLOOR,
    SECOND,
    THRESHOLD_FIELDS,
    CounterState,
    PolicyTerms,
    Recovery,
)
from tests.admin.conftest import SignIn
from tests.factories import PolicyFactory

pytestmark = pytest.mark.django_db

PAGE = "/admin/doc_priority/customer/how-priorities-work/"
DAY = datetime(2026, 3, 2, tzinfo=UTC)
STEPS = {f"threshold_{number}": 1 - number for number in range(1, 9)}


def text_of(response: Any) -> str:
    """The page as it is read."""
    assert response.status_code == 200
    content = response.content.decode().partition("<article")[2].partition("</article>")[0]
    return " ".join(unescape(strip_tags(content)).split())


def moment(time: str) -> datetime:
    hours, minutes, seconds = [*map(float, time.split(":")), 0.0][:3]
    return DAY + timedelta(hours=hours, minutes=minutes, seconds=seconds)


# Who sees which page


def test_it_has_its_address() -> None:
    assert reverse("admin:doc_priority_rule") == PAGE


@pytest.mark.parametrize(
    ("permission", "status"),
    [
        ("view_customer", 200),
        ("change_customer", 200),
        ("view_policy", 200),
        ("change_policy", 200),
        ("reset_customer", 403),
        ("view_event", 403),
    ],
)
def test_whoever_may_look_at_customers_or_policies_may_read_it(
    sign_in: SignIn, permission: str, status: int
) -> None:
    assert sign_in(permission).get(PAGE).status_code == status


def test_there_is_a_tab_for_the_default_policy_and_each_other(admin: Client) -> None:
    PolicyFactory(name="gold & <b>", reset_interval=600)
    PolicyFactory(name="silver")
    content = admin.get(PAGE).content.decode()
    assert f'<a class="dp-tab" href="{PAGE}" aria-current="page">Default policy</a>' in content
    [address] = re.findall(r'href="([^"]+)"><bdi>gold &amp; &lt;b&gt;</bdi>', content)
    gold = admin.get(address)
    assert "Under the policy “gold & <b>”" in unescape(gold.content.decode())
    assert "more than 10 minutes" in text_of(gold)
    assert 'aria-current="page"><bdi>gold &amp; &lt;b&gt;</bdi>' in gold.content.decode()


def test_without_named_policies_there_is_nothing_to_choose(admin: Client) -> None:
    assert 'class="dp-tabs"' not in admin.get(PAGE).content.decode()


@pytest.mark.parametrize("name", ["gold", "Silver", "\x00", "x" * 1000])
def test_a_policy_that_is_not_there_leads_back(admin: Client, name: str) -> None:
    PolicyFactory(name="silver")
    response = admin.get(PAGE, {"policy": name})
    assert response.status_code == 404
    content = response.content.decode()
    assert "There is no policy with the name" in content
    assert f'href="{PAGE}"' in content
    assert "<bdi>silver</bdi>" in content


@pytest.mark.parametrize("policies", [0, 50])
def test_it_takes_three_queries(
    admin: Client, policies: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    PolicyFactory.create_batch(policies)
    with django_assert_num_queries(3):  # the session, the user, the policies
        admin.get(PAGE)


# What it says


def test_the_default_policy_is_the_portals_own(settings: Any, admin: Client) -> None:
    settings.DOC_PRIORITY = {"RESET_INTERVAL": 5400, "THRESHOLDS": list(range(0, -8, -1))}
    text = text_of(admin.get(PAGE))
    assert "more than 1 hour 30 minutes without" in text
    assert "−8 and below" in text


def test_under_idle(admin: Client) -> None:
    text = text_of(admin.get(PAGE))
    assert "After more than 25 minutes without a document of a customer" in text
    assert "−13 to −14 14 to 15" in text
    assert (
        "A customer who has sent nothing for more than 25 minutes sends 14 documents at 09:41, all "
        "at once. The first one leaves the counter at 0 and gets priority 1; the last one leaves "
        "it at −13 and gets priority 7. Without another document the counter is back at 0 and the "
        "priority at 1 at 10:06. But one more document at 10:01 leaves the counter at −14 and gets "
        "priority 7. Without yet another one the counter is then back at 0 at 10:26."
    ) in text
    assert (
        "For staff: A customer who sends one document every 20 minutes never recovers under this "
        "policy: it stands at 9 after 7 hours"
    ) in text


def test_under_window(admin: Client) -> None:
    PolicyFactory(name="window", recovery="window")
    text = text_of(admin.get(PAGE, {"policy": "window"}))
    assert "begins an interval of 25 minutes" in text
    assert "priority at 1 at 10:06, even if documents come before then." in text
    assert (
        "One more document at 10:01 leaves the counter at −14 and gets priority 7, and the counter "
        "is back at 0 at 10:06 all the same."
    ) in text
    assert "For staff" not in text


def test_under_halving(admin: Client) -> None:
    PolicyFactory(name="halving", recovery="halving")
    text = text_of(admin.get(PAGE, {"policy": "halving"}))
    assert "halves toward 0 every 2 minutes 30 seconds, a tenth of the interval" in text
    assert "from 09:43:30 at −6, priority 3 from 09:46 at −3, priority 2" in text
    assert "Without another document the counter is back at 0 at 09:51." in text
    assert "one more document at 10:01 leaves the counter at −1 and gets priority 1" in text
    assert "For staff" not in text


def test_halving_is_told_as_it_is() -> None:
    terms = PolicyTerms(recovery=Recovery.HALVING)
    tenths = [
        rules.peek(CounterState(-13, 0, 0), terms, number * 150 * SECOND).pending_documents
        for number in range(5)
    ]
    assert tenths == [-13, -6, -3, -1, 0]


@pytest.mark.parametrize(("highest", "priority"), [(0, 2), (-1, 1)])
def test_what_follows_a_reset_is_told_as_it_is(admin: Client, highest: int, priority: int) -> None:
    thresholds = {f"threshold_{number}": highest + 1 - number for number in range(1, 9)}
    PolicyFactory(name="gold", **thresholds)
    services.create_customer("acme", policy="gold")
    services.reset("acme", at=DAY)
    decision = services.check("acme", at=DAY)
    assert (decision.pending_documents, decision.priority) == (-1, priority)
    text = text_of(admin.get(PAGE, {"policy": "gold"}))
    assert f"then leaves it at −1 and gets priority {priority}." in text


EXAMPLE = re.compile(
    r"sends (?P<documents>\d+) documents at (?P<start>[\d:]+), all at once\. .* leaves it at "
    r"−(?P<count>\d+) and gets priority (?P<priority>\d)\. .*counter is back at 0.*? at "
    r"(?P<end>[\d:.]*\d)[.,] .*ne more document at (?P<later>[\d:.]+) leaves the counter at "
    r"−?(?P<then>\d+) and gets priority (?P<worse>\d).* back at 0 at (?P<at_last>[\d:.]*\d)"
)


@pytest.mark.parametrize("recovery", ["idle", "window", "halving"])
@pytest.mark.parametrize("reset_interval", [10, 1500, 1505, 3601])
def test_the_example_is_what_the_services_do(
    admin: Client, recovery: str, reset_interval: int
) -> None:
    PolicyFactory(name="gold", recovery=recovery, reset_interval=reset_interval, **STEPS)
    found = EXAMPLE.search(text_of(admin.get(PAGE, {"policy": "gold"})))
    assert found is not None
    services.create_customer("acme", policy="gold")
    first, *_, last = services.check_many(
        ["acme"] * int(found["documents"]), at=moment(found["start"])
    )
    assert (first.pending_documents, first.priority) == (0, 1)
    assert (last.pending_documents, last.priority) == (-int(found["count"]), int(found["priority"]))
    assert last.resets_at == moment(found["end"])
    one_more = services.check("acme", at=moment(found["later"]))
    assert one_more.pending_documents == -int(found["then"])
    assert one_more.priority == int(found["worse"])
    assert one_more.resets_at == moment(found["at_last"])


terms_of_policies = st.builds(
    PolicyTerms,
    reset_interval=st.integers(10, 31_536_000),
    recovery=st.sampled_from(Recovery),
    thresholds=st.lists(
        st.one_of(st.integers(-60, 0), st.integers(FLOOR, 0)), min_size=8, max_size=8, unique=True
    ).map(lambda given: tuple(sorted(given, reverse=True))),
)


@given(terms=terms_of_policies)
def test_the_steps_lead_from_7_to_1(terms: PolicyTerms) -> None:
    example = example_of(terms)
    priorities = [7, *(step.priority for step in example.steps)]
    assert all(better < worse for worse, better in pairwise(priorities))
    assert priorities[-1] == 1
    for step in example.steps:
        standing = rules.peek(example.flooded, terms, step.moment + 1).pending_documents
        assert standing == step.pending_documents
        before = rules.peek(example.flooded, terms, step.moment - 1).pending_documents
        assert before < step.pending_documents


@given(terms=terms_of_policies)
def test_the_example_takes_place_within_an_interval(terms: PolicyTerms) -> None:
    example = example_of(terms)
    assert example.flooded.pending_documents == 1 - example.documents
    assert START < example.later < START + terms.interval
    assert all([example.sent, example.counted, example.recovers, example.goes_on])


extreme_policies = st.builds(
    PolicyTerms,
    reset_interval=st.sampled_from([10, 11, 1500, 31_535_999, 31_536_000]),
    recovery=st.sampled_from(Recovery),
    thresholds=st.sampled_from(
        [
            tuple(range(0, -8, -1)),
            tuple(range(FLOOR + 7, FLOOR - 1, -1)),
            tuple(range(FLOOR + 8, FLOOR, -1)),
            (*range(0, -7, -1), FLOOR),
            (-2, -4, -6, -8, -10, -12, -14, FLOOR + 1),
            tuple(range(-5000, -5008, -1)),
        ]
    ),
)


@hypothesis_settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(terms=st.one_of(extreme_policies, terms_of_policies))
def test_every_policy_can_be_explained_and_previewed(admin: Client, terms: PolicyTerms) -> None:
    said = {
        "reset_interval": terms.reset_interval,
        "recovery": terms.recovery.value,
        **dict(zip(THRESHOLD_FIELDS, terms.thresholds, strict=True)),
    }
    policy, _ = Policy.objects.update_or_create(name="gold", defaults=said)
    assert "An example" in text_of(admin.get(PAGE, {"policy": "gold"}))
    form = admin.get(reverse("admin:doc_priority_policy_change", args=[policy.pk]))
    assert "dp-levels" in form.content.decode()
    typed = admin.get("/admin/doc_priority/policy/preview/", {"policy": policy.pk, **said})
    assert "dp-levels" in typed.json()["levels"]


@pytest.mark.parametrize("threshold_8", [-5_000_000, FLOOR + 1])
def test_what_takes_longer_than_a_portal_lives_is_not_told(admin: Client, threshold_8: int) -> None:
    PolicyFactory(name="gold", reset_interval=31_536_000, threshold_8=threshold_8)
    assert "For staff" not in text_of(admin.get(PAGE, {"policy": "gold"}))


def test_a_trickle_is_told_up_to_a_hundred_years() -> None:
    day = 86_400 * 5 // 4
    told = trickle_of(PolicyTerms(day, thresholds=(*range(0, -7, -1), -36_499)))
    assert told is not None
    assert "stands at 9 after 36,500 days" in told.told
    assert trickle_of(PolicyTerms(day, thresholds=(*range(0, -7, -1), -36_500))) is None


@given(
    reset_interval=st.integers(10, 31_536_000),
    thresholds=st.lists(st.integers(-60, 0), min_size=8, max_size=8, unique=True).map(
        lambda given: tuple(sorted(given, reverse=True))
    ),
)
def test_a_trickle_ends_where_the_page_says(
    reset_interval: int, thresholds: tuple[int, ...]
) -> None:
    terms = PolicyTerms(reset_interval, Recovery.IDLE, thresholds)
    trickle = trickle_of(terms)
    assert trickle is not None
    state, now = CounterState(), 0
    while rules.priority_of(state.pending_documents, thresholds) < trickle.priority:
        now += trickle.gap * SECOND if state.updated_at is not None else 0
        state = rules.check(state, terms, now)
    assert now == trickle.takes * SECOND
    assert trickle.priority == 9


def test_a_trickle_where_no_count_stands_at_9() -> None:
    terms = PolicyTerms(thresholds=(-2, -4, -6, -8, -10, -12, -14, FLOOR))
    trickle = trickle_of(terms)
    assert trickle is not None
    assert trickle.priority == 8


@pytest.mark.parametrize("recovery", [Recovery.WINDOW, Recovery.HALVING])
def test_a_trickle_recovers_otherwise(recovery: Recovery) -> None:
    assert trickle_of(PolicyTerms(recovery=recovery)) is None


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "09:41"),
        (150, "09:43:30"),
        (150.5, "09:43:30.5"),
        (124.5, "09:43:04.5"),
        (15 * 3600, "00:41 on the next day"),
        (86_400 * 365, "09:41, 365 days later"),
    ],
)
def test_moments_of_the_example(seconds: float, shown: str) -> None:
    assert clock(START + int(seconds * SECOND)) == shown
