"""A correction by hand: asked about first, done to those ticked, kept twice."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.db import DatabaseError, connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from doc_priority import services
from doc_priority.admin.selection import MOST
from doc_priority.models import Customer, Event
from doc_priority.services import check, peek
from tests.admin.confirmations import RESET, ask, send, tick
from tests.admin.conftest import SignIn
from tests.admin.customers import at_priority
from tests.admin.lists import CUSTOMERS, listed, text_of, told
from tests.sessions import HOLD_COUNTERS, open_transaction

pytestmark = pytest.mark.django_db


def test_a_reset_is_asked_about_and_then_done(admin: Client) -> None:
    acme, birch = at_priority(7, name="Acme Ltd"), at_priority(5, name="Birch & Co")

    asked = tick(admin, "reset_priority", acme, birch)

    shown = text_of(asked)
    assert "Reset priority?" in shown
    assert re.search(r"Acme Ltd customer-\d+ 7 → becomes 1 −13", shown)
    assert re.search(r"Birch & Co customer-\d+ 5 → becomes 1 −9", shown)
    assert peek(acme.key).priority == 7

    done = send(admin, RESET, asked, reason="asked on the phone")

    assert told(done) == ["2 customers were reset."]
    assert [peek(one.key).priority for one in (acme, birch)] == [1, 1]


def test_it_is_kept_as_event_and_in_the_history(admin: Client) -> None:
    acme = at_priority(7)
    send(admin, RESET, ask(admin, RESET, acme), reason="asked on the phone")

    event = Event.objects.get()
    assert (event.kind, event.customer, event.actor) == ("reset", acme.key, "root")
    assert (event.reason, event.source) == ("asked on the phone", "admin")
    entry = LogEntry.objects.get()
    assert (entry.action_flag, entry.object_id) == (CHANGE, str(acme.pk))
    assert entry.change_message == "reset: 7 → 1 (asked on the phone)"
    history = admin.get(reverse("admin:doc_priority_customer_history", args=[acme.pk]))
    assert "asked on the phone" in text_of(history)


@pytest.mark.parametrize("reason", ["", "   ", "a\x00b", "a\u202eb", "x" * 501])
def test_without_a_reason_that_can_be_kept_nothing_is_done(admin: Client, reason: str) -> None:
    acme = at_priority(7)
    answer = send(admin, RESET, ask(admin, RESET, acme), reason=reason)
    assert answer.status_code == 200
    assert 'class="errorlist"' in answer.content.decode()
    assert peek(acme.key).priority == 7
    assert not Event.objects.exists()
    assert not LogEntry.objects.exists()


def test_what_was_ticked_is_done_wherever_it_is_by_then(admin: Client) -> None:
    stays, moves = at_priority(8), at_priority(7)
    asked_for = listed(admin, "priority=7-9")
    assert asked_for == [stays.pk, moves.pk]
    services.reset(moves.key)
    for _ in range(9):
        check(moves.key)
    assert peek(moves.key).priority == 5

    asked = tick(admin, "reset_priority", stays, moves, query="priority=7-9")
    assert len(re.findall("becomes", text_of(asked))) == 2
    done = send(admin, RESET, asked, reason="both")

    assert told(done) == ["2 customers were reset."]
    assert done.request["QUERY_STRING"] == "priority=7-9"
    assert [peek(one.key).priority for one in (stays, moves)] == [1, 1]


def tick_everybody(client: Client, query: str = "") -> HttpResponse:
    """As with the link "select all customers" above the list."""
    one = listed(client, query)[0]
    return client.post(
        f"{reverse(CUSTOMERS)}?{query}",
        {"action": "reset_priority", "select_across": "1", "_selected_action": [one], "index": 0},
    )


def test_everybody_of_a_filter_may_be_ticked_at_once(admin: Client) -> None:
    five, six = at_priority(5), at_priority(6)
    seven = at_priority(7)
    done = send(admin, RESET, tick_everybody(admin, "priority=4-6"), reason="all")
    assert told(done) == ["2 customers were reset."]
    assert [peek(one.key).priority for one in (five, six, seven)] == [1, 1, 7]


def test_a_thousand_customers_at_once_and_not_one_more(
    admin: Client, settings: Any, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    assert MOST == 1_000 == settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    keys = [f"many-{number:04}" for number in range(MOST + 1)]
    services.check_many([key for key in keys for _ in range(14)])
    asked = tick_everybody(admin)
    assert "1,001 customers were ticked; one page takes 1,000." in text_of(asked)
    with django_assert_max_num_queries(45):
        done = send(admin, RESET, asked, reason="import ran twice")
    assert told(done) == ["1,000 customers were reset."]
    assert Event.objects.count() == LogEntry.objects.count() == MOST
    assert [peek(key).priority for key in (keys[0], keys[-2], keys[-1])] == [1, 1, 7]


def test_a_customer_that_is_gone_is_named_and_left_out(admin: Client) -> None:
    acme, gone = at_priority(7), at_priority(9)
    asked = ask(admin, RESET, acme, gone)
    services.forget(gone.key)
    done = send(admin, RESET, asked, reason="both")
    assert told(done) == [
        "1 customer was reset.",
        "1 customer no longer exists and is left out.",
    ]
    assert peek(acme.key).priority == 1


NOBODY = {
    "4711": "There is no such customer; perhaps somebody deleted it.",
    "4711,4712": (
        "None of these customers exists any more. Tick customers in the list and try again."
    ),
    **dict.fromkeys(
        ("", "x", "1;2", "9" * 30, "²", "-1"),
        "No customer was chosen. Tick customers in the list and try again.",
    ),
}


@pytest.mark.parametrize(("customers", "said"), NOBODY.items())
def test_with_nobody_left_one_is_told_so(admin: Client, customers: str, said: str) -> None:
    for answer in (
        admin.get(reverse(RESET), {"customer": customers}, follow=True),
        admin.post(reverse(RESET), {"customers": customers, "reason": "x"}, follow=True),
    ):
        assert answer.status_code == 200
        assert told(answer) == [said]
        assert answer.request["PATH_INFO"] == reverse(CUSTOMERS)


@pytest.mark.parametrize("ticked", ["x", "1.5", "9" * 30, "1,2"])
def test_ticks_that_are_none_are_refused(admin: Client, ticked: str) -> None:
    answer = admin.post(
        reverse(CUSTOMERS),
        {"action": "reset_priority", "index": 0, "_selected_action": [ticked]},
        follow=True,
    )
    assert told(answer) == ["What was ticked cannot be read. Tick the customers again."]


def test_who_comes_second_is_told_and_sends_it_again(admin: Client, sign_in: SignIn) -> None:
    acme = at_priority(7)
    maria = sign_in("view_customer", "reset_customer")
    mine, hers = ask(admin, RESET, acme), ask(maria, RESET, acme)
    send(maria, RESET, hers, reason="called first")
    for _ in range(14):
        check(acme.key)

    again = send(admin, RESET, mine, reason="called, too")

    assert "this has happened since the page was opened" in text_of(again)
    assert "reset by maria (called first)" in text_of(again)
    assert peek(acme.key).priority == 7
    assert 'value="called, too"' in again.content.decode()

    done = send(admin, RESET, again, reason="called, too")
    assert told(done) == ["1 customer was reset."]
    assert peek(acme.key).priority == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgresql
def test_who_comes_second_in_the_last_moment_is_told_as_well(admin: Client) -> None:
    acme = at_priority(7)
    asked = ask(admin, RESET, acme)

    def called_first() -> None:
        services.reset(acme.key, actor="maria", reason="called first")
        connection.close()

    others = [called_first]

    def corrected_meanwhile(execute: Any, sql: str, *arguments: Any) -> Any:
        """Somebody was faster by the width of a lock."""
        if "FOR UPDATE" in sql and others:
            with ThreadPoolExecutor() as pool:
                pool.submit(others.pop()).result()
        return execute(sql, *arguments)

    with connection.execute_wrapper(corrected_meanwhile):
        again = send(admin, RESET, asked, reason="x")

    assert "reset by maria (called first)" in text_of(again)
    assert Event.objects.count() == 1
    assert not LogEntry.objects.exists()


def test_what_happened_is_told_also_after_a_mistake_in_the_form(admin: Client) -> None:
    acme = at_priority(7)
    asked = ask(admin, RESET, acme)
    services.reset(acme.key, actor="maria", reason="called first")
    mistake = send(admin, RESET, asked, reason="")
    again = send(admin, RESET, mistake, reason="x")
    assert "reset by maria (called first)" in text_of(again)
    assert Event.objects.count() == 1


def test_without_its_entry_in_the_history_nothing_is_done(admin: Client) -> None:
    acme = at_priority(7)
    asked = ask(admin, RESET, acme)

    def full(execute: Any, sql: str, *arguments: Any) -> Any:
        if sql.startswith("INSERT") and "django_admin_log" in sql:
            raise DatabaseError("no room for the history")
        return execute(sql, *arguments)

    with connection.execute_wrapper(full), pytest.raises(DatabaseError):
        send(admin, RESET, asked, reason="x")
    assert peek(acme.key).priority == 7
    assert not Event.objects.exists()


def test_it_is_kept_whatever_event_the_page_says_it_has_seen(admin: Client) -> None:
    """Also one that is yet to come, as after a restored backup."""
    acme = at_priority(7)
    answer = send(admin, RESET, ask(admin, RESET, acme), reason="x", seen=str(10**15))
    assert told(answer) == ["1 customer was reset."]
    assert LogEntry.objects.get().change_message == "reset: 7 → 1 (x)"


def test_the_way_back_is_no_way_out(admin: Client) -> None:
    acme = at_priority(7)
    for query in ("//evil.example", "\r\nX: y", "&" * 3_000):
        sent = {"customers": acme.pk, "reason": "x", "seen": 10**15, "list": query}
        answer = admin.post(reverse(RESET), sent)
        assert answer.headers["Location"].startswith(f"{reverse(CUSTOMERS)}?")
        assert "\n" not in answer.headers["Location"]


def test_a_customer_that_vanishes_in_between_undoes_it_all(admin: Client) -> None:
    acme, gone = at_priority(7), at_priority(9)
    asked = ask(admin, RESET, acme, gone)

    def forgotten_meanwhile(execute: Any, sql: str, *arguments: Any) -> Any:
        """The events are looked at last, before the service is called."""
        if "doc_priority_event" in sql and Customer.objects.filter(pk=gone.pk).exists():
            Customer.objects.filter(pk=gone.pk).delete()
        return execute(sql, *arguments)

    with connection.execute_wrapper(forgotten_meanwhile):
        answer = send(admin, RESET, asked, reason="both")

    assert "A customer was deleted meanwhile. Nothing was changed; look again." in text_of(answer)
    assert peek(acme.key).priority == 7


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgresql
def test_a_counter_that_others_hold_is_busy(admin: Client, settings: Any) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 100}
    acme = at_priority(7)
    asked = ask(admin, RESET, acme)
    with open_transaction(HOLD_COUNTERS):
        answer = send(admin, RESET, asked, reason="x")
    assert (
        "Others are changing the same at this moment. Nothing was changed; try again."
        in text_of(answer)
    )
    assert told(send(admin, RESET, answer, reason="x")) == ["1 customer was reset."]
