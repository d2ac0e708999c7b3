"""How priorities work, level by level: what the pages say is what the rule does."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client
from django.utils.html import strip_tags
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from doc_priority import rules, services
from doc_priority.admin.explaining import START, clock, example_of, levels_of, steps_of, trickle_of
from doc_priority.models import Policy
from doc_priority.types import FLOOR, SECOND, CounterState, PolicyTerms, Recovery
from tests.admin.conftest import DEFAULT, PREVIEW, STEPS, change_of
from tests.factories import PolicyFactory

pytestmark = pytest.mark.django_db

PAGE = "/admin/doc_priority/customer/how-priorities-work/"

falling = st.lists(st.integers(-60, 0), min_size=8, max_size=8, unique=True).map(
    lambda given: tuple(sorted(given, reverse=True))
)
falling_deep = st.lists(
    st.one_of(st.integers(-60, 0), st.integers(FLOOR, 0)), min_size=8, max_size=8, unique=True
).map(lambda given: tuple(sorted(given, reverse=True)))
terms_of_policies = st.builds(
    PolicyTerms,
    reset_interval=st.integers(10, 31_536_000),
    recovery=st.sampled_from(Recovery),
    thresholds=falling_deep,
)


def text_of(response: Any) -> str:
    """The page as it is read."""
    assert response.status_code == 200
    content = response.content.decode().partition("<article")[2].partition("</article>")[0]
    return " ".join(unescape(strip_tags(content)).split())


def test_there_is_a_tab_for_the_default_policy_and_each_other(admin: Client) -> None:
    assert 'class="dp-tabs"' not in admin.get(PAGE).content.decode()
    PolicyFactory(name="gold & <b>", reset_interval=600)
    PolicyFactory(name="silver")
    content = admin.get(PAGE).content.decode()
    assert f'<a class="dp-tab" href="{PAGE}" aria-current="page">Default policy</a>' in content
    [address] = re.findall(r'href="([^"]+)"><bdi>gold &amp; &lt;b&gt;</bdi>', content)
    gold = admin.get(address)
    assert "Policy “gold & <b>”" in unescape(gold.content.decode())
    assert "more than 10 minutes" in text_of(gold)
    assert 'aria-current="page"><bdi>gold &amp; &lt;b&gt;</bdi>' in gold.content.decode()
    for name in ("iron", "Silver", "\x00", "x" * 1000):
        response = admin.get(PAGE, {"policy": name})
        assert response.status_code == 404, name
        content = response.content.decode()
        assert "There is no policy with the name" in content
        assert f'href="{PAGE}"' in content
        assert "<bdi>silver</bdi>" in content


def test_each_recovery_is_explained(admin: Client, settings: Any) -> None:
    text = text_of(admin.get(PAGE))
    assert "nothing for more than 25 minutes (1500 seconds), its counter is back at 0" in text
    assert "−13 to −14 14 to 15" in text
    assert (
        "At 09:41, a customer who has sent nothing for more than 25 minutes sends 14 documents in "
        "one go. The first gets priority 1 (counter 0), the last gets priority 7 (counter −13). "
        "If nothing else arrives, the counter is back at 0 and the priority at 1 at 10:06. "
        "But one more document at 10:01 gets priority 7 (counter −14), and the counter is only "
        "back at 0 at 10:26 if no other follows."
    ) in text
    assert (
        "For staff: With this policy, a customer who sends one document every 20 minutes never "
        "gets back to 0. After 7 hours the customer has priority 9"
    ) in text
    assert "takes it to −1 and gets priority 1." in text
    settings.DOC_PRIORITY = {"RESET_INTERVAL": 5400, "THRESHOLDS": STEPS}
    text = text_of(admin.get(PAGE))
    assert "more than 1 hour 30 minutes (5400 seconds)" in text
    assert "−8 or less" in text

    settings.DOC_PRIORITY = {}
    PolicyFactory(name="window", recovery="window")
    text = text_of(admin.get(PAGE, {"policy": "window"}))
    assert "starts an interval of 25 minutes" in text
    assert "priority at 1 at 10:06, even if more documents arrive before then." in text
    assert (
        "One more document at 10:01 gets priority 7 (counter −14); "
        "the counter is still back at 0 at 10:06."
    ) in text
    assert "For staff" not in text

    PolicyFactory(name="halving", recovery="halving")
    text = text_of(admin.get(PAGE, {"policy": "halving"}))
    assert "Every 2 minutes 30 seconds (a tenth of the interval of 25 minutes)" in text
    assert "from 09:43:30: counter −6, priority 3 from 09:46: counter −3, priority 2" in text
    assert "If nothing else arrives, the counter is back at 0 at 09:51." in text
    assert "one more document at 10:01 gets priority 1 (counter −1)" in text
    assert "For staff" not in text


@pytest.mark.parametrize("recovery", ["idle", "window", "halving"])
@pytest.mark.parametrize("reset_interval", [10, 1505, 3601])
def test_the_example_is_what_the_services_do(
    admin: Client, recovery: str, reset_interval: int
) -> None:
    example = re.compile(
        r"At (?P<start>[\d:]+), .* sends (?P<documents>\d+) documents in one go\. "
        r".* the last gets priority (?P<priority>\d) \(counter −(?P<count>\d+)\)\. "
        r".*counter is back at 0.*? at (?P<end>[\d:.]*\d)[.,] "
        r".*ne more document at (?P<later>[\d:.]+) gets priority (?P<worse>\d) "
        r"\(counter −?(?P<then>\d+)\).* back at 0 at (?P<at_last>[\d:.]*\d)"
    )
    steps = {f"threshold_{number}": 1 - number for number in range(1, 9)}
    PolicyFactory(name="gold", recovery=recovery, reset_interval=reset_interval, **steps)
    text = text_of(admin.get(PAGE, {"policy": "gold"}))
    found = example.search(text)
    assert found is not None

    def moment(name: str) -> datetime:
        hours, minutes, seconds = [*map(float, found[name].split(":")), 0.0][:3]
        day = datetime(2026, 3, 2, tzinfo=UTC)
        return day + timedelta(hours=hours, minutes=minutes, seconds=seconds)

    services.create_customer("acme", policy="gold")
    documents = ["acme"] * int(found["documents"])
    first, *_, last = services.check_many(documents, at=moment("start"))
    assert (first.pending_documents, first.priority) == (0, 1)
    assert (last.pending_documents, last.priority) == (-int(found["count"]), int(found["priority"]))
    assert last.resets_at == moment("end")
    one_more = services.check("acme", at=moment("later"))
    assert one_more.pending_documents == -int(found["then"])
    assert one_more.priority == int(found["worse"])
    assert one_more.resets_at == moment("at_last")

    services.reset("acme", at=moment("later"))
    decision = services.check("acme", at=moment("later"))
    assert (decision.pending_documents, decision.priority) == (-1, 2)
    assert "takes it to −1 and gets priority 2." in text


@given(terms=terms_of_policies)
def test_an_example_recovers_step_by_step_within_an_interval(terms: PolicyTerms) -> None:
    documents = 2 - terms.thresholds[5]
    flooded = rules.check(CounterState(), terms, START, documents=documents)
    assert rules.priority_of(flooded.pending_documents, terms.thresholds) == 7
    steps = list(steps_of(flooded, terms))
    priorities = [rules.priority_of(count, terms.thresholds) for _, count in steps]
    assert all(better < worse for worse, better in pairwise([7, *priorities]))
    assert priorities[-1] == 1
    for moment, count in steps:
        assert rules.peek(flooded, terms, moment + 1).pending_documents == count
        assert rules.peek(flooded, terms, moment - 1).pending_documents < count
    example = example_of(terms)
    assert all(example.values())
    assert len(example["steps"]) == len(steps)


extreme_thresholds = [tuple(range(first, first - 8, -1)) for first in (0, -5000, FLOOR + 7)]
extreme_policies = st.builds(
    PolicyTerms,
    reset_interval=st.sampled_from([10, 11, 1500, 31_535_999, 31_536_000]),
    recovery=st.sampled_from(Recovery),
    thresholds=st.sampled_from([*extreme_thresholds, (*range(0, -7, -1), FLOOR + 1)]),
)


@hypothesis_settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(terms=st.one_of(extreme_policies, terms_of_policies))
def test_every_policy_can_be_explained_and_previewed(admin: Client, terms: PolicyTerms) -> None:
    said = {f"threshold_{number}": one for number, one in enumerate(terms.thresholds, start=1)}
    said |= {"reset_interval": terms.reset_interval, "recovery": terms.recovery.value}
    policy, _ = Policy.objects.update_or_create(name="gold", defaults=said)
    assert "An example" in text_of(admin.get(PAGE, {"policy": "gold"}))
    assert "dp-levels" in admin.get(change_of(policy)).content.decode()
    preview = admin.get(PREVIEW, {"policy": policy.pk, **said})
    assert "dp-levels" in preview.json()["levels"]


def test_a_trickle_is_told_up_to_a_hundred_years(admin: Client) -> None:
    """Of a customer who sends just often enough never to recover."""
    day = 86_400 * 5 // 4
    told = trickle_of(PolicyTerms(day, thresholds=(*range(0, -7, -1), -36_499)))
    assert "After 36,500 days the customer has priority 9" in told
    assert not trickle_of(PolicyTerms(day, thresholds=(*range(0, -7, -1), -36_500)))
    for threshold_8 in (-5_000_000, FLOOR + 1):
        policy = PolicyFactory(reset_interval=31_536_000, threshold_8=threshold_8)
        assert "For staff" not in text_of(admin.get(PAGE, {"policy": policy.name}))
    to_the_floor = trickle_of(PolicyTerms(thresholds=(*DEFAULT[:7], FLOOR)))
    assert "the customer has priority 8" in to_the_floor
    for recovery in (Recovery.WINDOW, Recovery.HALVING):
        assert not trickle_of(PolicyTerms(recovery=recovery))


def test_levels_spans_and_moments_are_read_by_people() -> None:
    levels = levels_of(DEFAULT)
    said = ", ".join(level["pending_documents"] for level in levels)
    assert said == (
        "0 to −2, −3 to −4, −5 to −6, −7 to −8, −9 to −10, −11 to −12, −13 to −14, −15 to −20, "
        "−21 or less"
    )
    assert [level["documents"] for level in levels][:2] == ["1 to 3", "4 to 5"]
    assert levels[-1]["documents"] == "22 and later"
    assert [level["pending_documents"] for level in levels_of(STEPS)][:2] == ["0", "−1"]
    deepest = levels_of([*DEFAULT[:7], FLOOR])[-1]
    assert deepest["pending_documents"] == "not used: the counter stops at −1,000,000,000"
    assert deepest["documents"] == "–"

    for seconds, moment in (
        (0, "at 09:41"),
        (150, "at 09:43:30"),
        (150.5, "at 09:43:30.5"),
        (124.5, "at 09:43:04.5"),
        (15 * 3600, "at 00:41 the next day"),
        (86_400 * 365, "at 09:41, 365 days later"),
    ):
        assert clock(START + int(seconds * SECOND)) == moment


@given(reset_interval=st.integers(10, 31_536_000), thresholds=falling)
def test_levels_and_the_end_of_a_trickle_are_what_the_rule_says(
    reset_interval: int, thresholds: tuple[int, ...]
) -> None:
    terms = PolicyTerms(reset_interval, Recovery.IDLE, thresholds)
    for priority, level in enumerate(levels_of(thresholds), start=1):
        text = level["pending_documents"].replace("−", "-")
        highest, *lowest = map(int, re.findall(r"-?\d+", text))
        if "or less" in text:
            lowest = [highest - 50]
        for count in range(highest, min([highest, *lowest]) - 1, -1):
            assert rules.priority_of(count, thresholds) == priority
            counted = rules.check(CounterState(), terms, 0, documents=1 - count)
            assert counted.pending_documents == count
