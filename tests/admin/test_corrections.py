"""Corrections by hand: asked about first, done to the ticked customers, kept with a reason."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.contrib.auth.models import User
from django.db import DatabaseError, connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from doc_priority import services
from doc_priority.admin.corrections import MOST
from doc_priority.admin.forms import PinForm
from doc_priority.models import Counter, Customer, Event
from doc_priority.services import check, peek
from doc_priority.types import Pin
from tests.admin.confirmations import (
    FORGET,
    LATER,
    PIN,
    RESET,
    UNPIN,
    ask,
    hidden_fields,
    send,
    tick,
)
from tests.admin.conftest import CUSTOMERS, SignIn, listed, text_of, told
from tests.databases import HOLD_COUNTERS, open_transaction
from tests.factories import at_priority, at_rest, pinned

pytestmark = pytest.mark.django_db


def test_a_reset_is_confirmed_then_done_and_kept_with_its_reason(admin: Client) -> None:
    acme, birch = at_priority(7, name="Acme Ltd"), at_priority(5, name="Birch & Co")

    asked = tick(admin, "reset_priority", acme, birch)
    shown = text_of(asked)
    assert "Reset counter?" in shown
    assert re.search(r"Acme Ltd customer-\d+ 7 → changes to 1 −13", shown)
    assert re.search(r"Birch & Co customer-\d+ 5 → changes to 1 −9", shown)
    assert peek(acme.key).priority == 7

    done = send(admin, RESET, asked, reason="asked on the phone")
    assert told(done) == ["2 customers: counters reset to 0."]
    assert [peek(one.key).priority for one in (acme, birch)] == [1, 1]
    event = Event.objects.get(customer=acme.key)
    assert (event.kind, event.actor, event.source) == ("reset", "root", "admin")
    assert event.reason == "asked on the phone"
    entry = LogEntry.objects.get(object_id=str(acme.pk))
    assert entry.action_flag == CHANGE
    assert entry.change_message == "reset: 7 → 1 (asked on the phone)"
    history = admin.get(reverse("admin:doc_priority_customer_history", args=[acme.pk]))
    assert "asked on the phone" in text_of(history)


@pytest.mark.django_db(transaction=True)
def test_a_reset_of_three_takes_few_statements_and_one_transaction(
    admin: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(2):  # Django reads the content type once in a process.
        three = at_priority(7), at_priority(5), at_priority(8)
        hidden = hidden_fields(tick(admin, "reset_priority", *three))
        with django_assert_max_num_queries(20) as captured:
            admin.post(reverse(RESET), hidden | {"reason": "import ran twice"})
    statements = [one["sql"] for one in captured.captured_queries]
    assert Event.objects.count() == LogEntry.objects.count() == 6
    assert not [sql for sql in statements if "SAVEPOINT" in sql]
    assert len([sql for sql in statements if not sql.startswith(("BEGIN", "COMMIT"))]) <= 12


def test_ticked_customers_are_corrected_even_if_they_left_the_filter(admin: Client) -> None:
    stays, moves = at_priority(8), at_priority(7)
    assert listed(admin, "priority=7-9") == [stays.pk, moves.pk]
    services.reset(moves.key)
    services.check_many([moves.key] * 9)
    assert peek(moves.key).priority == 5

    asked = tick(admin, "reset_priority", stays, moves, query="priority=7-9")
    assert len(re.findall("changes to", text_of(asked))) == 2
    done = send(admin, RESET, asked, reason="both")

    assert told(done) == ["2 customers: counters reset to 0."]
    assert done.request["QUERY_STRING"] == "priority=7-9"
    assert [peek(one.key).priority for one in (stays, moves)] == [1, 1]


def test_all_customers_of_a_filter_can_be_ticked_at_once_but_a_thousand_at_most(
    admin: Client, settings: Any, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    def tick_everybody(query: str = "") -> HttpResponse:
        """As with the link "select all customers" above the list."""
        ticked = {"select_across": "1", "_selected_action": listed(admin, query)[:1]}
        sent = {"action": "reset_priority", "index": 0, **ticked}
        return admin.post(f"{reverse(CUSTOMERS)}?{query}", sent)

    assert MOST == 1_000 == settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    keys = [f"many-{number:04}" for number in range(MOST + 1)]
    services.check_many([key for key in keys for _ in range(4)])
    asked = tick_everybody()
    assert "You selected 1,001 customers; the limit is 1,000 at a time." in text_of(asked)
    with django_assert_max_num_queries(45):
        done = send(admin, RESET, asked, reason="import ran twice")
    assert told(done) == ["1,000 customers: counters reset to 0."]
    assert Event.objects.count() == LogEntry.objects.count() == MOST
    assert [peek(key).priority for key in (keys[0], keys[-2], keys[-1])] == [1, 1, 2]

    five, six = at_priority(5), at_priority(6)
    seven = at_priority(7)
    done = send(admin, RESET, tick_everybody("priority=4-6"), reason="all")
    assert told(done) == ["2 customers: counters reset to 0."]
    assert [peek(one.key).priority for one in (five, six, seven)] == [1, 1, 7]


def test_deleted_customers_are_left_out_and_reported(admin: Client) -> None:
    acme, gone = at_priority(7), at_priority(9)
    asked = ask(admin, RESET, acme, gone)
    services.forget(gone.key)
    done = send(admin, RESET, asked, reason="both")
    left_out = "1 customer no longer exists and was skipped."
    assert told(done) == [f"Counter of {acme} reset to 0.", left_out]
    assert peek(acme.key).priority == 1

    none_chosen = "No customers selected. Select customers in the list and try again."
    gone = "These customers no longer exist. Select customers in the list and try again."
    for customers, said in {
        "4711": "This customer does not exist. It may have been deleted.",
        "4711,4712": gone,
        **dict.fromkeys(("", "1;2", "9" * 30, "²"), none_chosen),
    }.items():
        sent = {"customers": customers, "reason": "x"}
        for answer in (
            admin.get(reverse(RESET), {"customer": customers}, follow=True),
            admin.post(reverse(RESET), sent, follow=True),
        ):
            assert told(answer) == [said], customers
            assert answer.request["PATH_INFO"] == reverse(CUSTOMERS)
    for ticked in ("x", "1.5", "9" * 30, "1,2"):
        sent = {"action": "reset_priority", "index": 0, "_selected_action": [ticked]}
        answer = admin.post(reverse(CUSTOMERS), sent, follow=True)
        assert told(answer) == ["Your selection could not be read. Select the customers again."], (
            ticked
        )


def test_a_correction_made_meanwhile_is_shown_before_another_is_done(
    admin: Client, sign_in: SignIn
) -> None:
    acme = at_priority(7)
    maria = sign_in("view_customer", "reset_customer")
    mine, hers = ask(admin, RESET, acme), ask(maria, RESET, acme)
    send(maria, RESET, hers, reason="called first")
    services.check_many([acme.key] * 14)

    again = send(admin, RESET, mine, reason="called, too")

    assert "Since you opened this page" in text_of(again)
    assert "reset by maria (called first)" in text_of(again)
    assert peek(acme.key).priority == 7
    assert 'value="called, too"' in again.content.decode()

    mistake = send(admin, RESET, mine, reason="")
    assert "reset by maria (called first)" in text_of(send(admin, RESET, mistake, reason="x"))
    done = send(admin, RESET, again, reason="called, too")
    assert told(done) == [f"Counter of {acme} reset to 0."]
    assert peek(acme.key).priority == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgresql
def test_what_others_do_in_the_last_moment_is_shown_or_waited_for(
    admin: Client, settings: Any
) -> None:
    acme = at_priority(7)
    asked = ask(admin, RESET, acme)

    def called_first() -> None:
        services.reset(acme.key, actor="maria", reason="called first")
        connection.close()

    others = [called_first]

    def corrected_meanwhile(execute: Any, sql: str, *arguments: Any) -> Any:
        """Somebody was faster by the width of a lock."""
        if "UPDATE OF" in sql and others:
            with ThreadPoolExecutor() as pool:
                pool.submit(others.pop()).result()
        return execute(sql, *arguments)

    with connection.execute_wrapper(corrected_meanwhile):
        again = send(admin, RESET, asked, reason="x")

    assert "reset by maria (called first)" in text_of(again)
    assert Event.objects.count() == 1
    assert not LogEntry.objects.exists()

    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 100}
    acme = at_priority(7)
    asked = ask(admin, RESET, acme)
    with open_transaction(HOLD_COUNTERS):
        answer = send(admin, RESET, asked, reason="x")
    said = "Someone else is changing this right now. Nothing was changed. Try again."
    assert said in text_of(answer)
    assert told(send(admin, RESET, answer, reason="x")) == [f"Counter of {acme} reset to 0."]


def test_only_a_post_of_our_own_form_changes_anything_and_is_not_trusted(admin: Client) -> None:
    acme = at_priority(7)
    sent = {"customer": acme.pk, "customers": acme.pk, "reason": "x"}
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = admin.cookies
    for name in (RESET, PIN, UNPIN, FORGET):
        admin.get(reverse(name), sent)
        assert admin.put(reverse(name)).status_code == 405
        assert strict.post(reverse(name), sent).status_code == 403
    assert not Event.objects.exists()

    # The way back leads nowhere else; events that are yet to come stand in no way.
    acme = at_priority(7)
    for query in ("//evil.example", "\r\nX: y", "&" * 3_000):
        sent = {"customers": acme.pk, "reason": "x", "seen": 10**15, "list": query}
        answer = admin.post(reverse(RESET), sent)
        assert answer.headers["Location"].startswith(f"{reverse(CUSTOMERS)}?")
        assert "\n" not in answer.headers["Location"]
    assert LogEntry.objects.earliest("pk").change_message == "reset: 7 → 1 (x)"


def test_a_pin_lasts_until_its_time_or_an_unpin(admin: Client) -> None:
    acme, birch = at_priority(7), at_priority(8)
    asked = tick(admin, "pin_priority", acme, birch)
    done = send(admin, PIN, asked, priority="3", until=LATER, reason="contract")
    assert told(done) == ["Priority of 2 customers pinned."]
    for row in Customer.objects.live():
        assert (row.priority, row.pinned) == (3, True)
        assert timezone.localtime(row.pinned_until).strftime("%Y-%m-%dT%H:%M") == LATER
    assert {event.reason for event in Event.objects.all()} == {"contract"}
    done = send(admin, UNPIN, tick(admin, "unpin_priority", acme, birch), reason="ended")
    assert told(done) == ["Pins of 2 customers removed."]
    assert [peek(one.key).priority for one in (acme, birch)] == [7, 8]

    for until in ("", LATER, "2020-01-01T10:00", "soon"):
        acme = at_priority(7)
        filled_in = {"priority": "2", "until": until, "without_end": "on", "reason": "contract"}
        done = send(admin, PIN, ask(admin, PIN, acme), **filled_in)
        assert told(done) == [f"Priority of {acme} pinned."], until
        assert Counter.objects.get(customer=acme).pin == Pin(2, until=None), until
    entry = LogEntry.objects.latest("pk")
    assert entry.change_message == "pin: 7 → 2; pinned without an end (contract)"


def test_what_cannot_be_done_whole_is_not_done(admin: Client) -> None:
    acme = at_priority(7)
    asked = ask(admin, PIN, acme)
    for priority, until, said in (
        ("2", "", "This field is required."),
        ("", LATER, "This field is required."),
        ("10", LATER, "Select a valid choice."),
        ("2", "2020-01-01T10:00", "This time is in the past"),
        ("2", "soon", "Enter a valid date/time."),
        ("2", "9998-01-01T00:00", "This time is too far in the future"),
    ):
        answer = send(admin, PIN, asked, reason="x", priority=priority, until=until)
        assert said in text_of(answer), (priority, until)
    assert peek(acme.key).priority == 7

    acme = at_priority(7)
    asked = ask(admin, RESET, acme)
    for reason in ("", "   ", "a\x00b", "a\u202eb", "x" * 501):
        answer = send(admin, RESET, asked, reason=reason)
        assert answer.status_code == 200
        assert 'class="errorlist"' in answer.content.decode(), reason
    assert peek(acme.key).priority == 7
    assert not Event.objects.exists()
    assert not LogEntry.objects.exists()

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

    acme, gone = at_priority(7), at_priority(9)
    asked = ask(admin, RESET, acme, gone)

    others = [lambda: Customer.objects.filter(pk=gone.pk).delete()]

    def forgotten_meanwhile(execute: Any, sql: str, *arguments: Any) -> Any:
        """After the page's rows were read, and before the service locks them."""
        if "SAVEPOINT" in sql and others:
            others.pop()()
        return execute(sql, *arguments)

    with connection.execute_wrapper(forgotten_meanwhile):
        answer = send(admin, RESET, asked, reason="both")

    assert (
        "A customer has been deleted in the meantime. Nothing was changed. Check the list again."
        in text_of(answer)
    )
    assert peek(acme.key).priority == 7


@pytest.mark.parametrize("use_tz", [True, False])
def test_a_pin_s_time_is_the_portal_s_clock(admin: Client, settings: Any, use_tz: bool) -> None:
    """Times that the clocks show never, or twice, are refused."""
    settings.USE_TZ = use_tz
    acme = at_priority(7)
    for until in ("2126-03-31T02:30", "2126-10-27T02:30"):
        answer = send(admin, PIN, ask(admin, PIN, acme), priority="2", until=until, reason="x")
        assert 'class="errorlist"' in answer.content.decode(), until
    assert not peek(acme.key).pinned
    send(admin, PIN, ask(admin, PIN, acme), priority="2", until="2126-07-18T10:00", reason="x")
    until = Customer.objects.live().get().pinned_until
    assert until == datetime(2126, 7, 18, 8, tzinfo=UTC)


def test_the_time_offered_for_a_pin_is_an_hour_ahead_and_accepted(admin: Client) -> None:
    """Also in the night in which the clocks go back."""
    acme = at_priority(7)
    for now, offered in (
        ("2026-07-01 10:00Z", "2026-07-01T13:00"),
        ("2026-10-25 00:10Z", "2026-10-25T03:10"),
        ("2026-10-25 00:30Z", "2026-10-25T03:30"),
        ("2026-10-25 01:30Z", "2026-10-25T03:30"),
    ):
        with time_machine.travel(now, tick=False):
            session = Client()
            session.force_login(User.objects.get())
            html = ask(session, PIN, acme).content.decode()
            assert "Time zone: Europe/Berlin" in html
            assert f'type="datetime-local" name="until" value="{offered}"' in html, now
            form = PinForm({"priority": "2", "until": offered, "reason": "x"})
            assert form.is_valid(), form.errors


def test_a_reset_keeps_a_pin_and_unpinning_counts_only_customers_with_one(admin: Client) -> None:
    held, acme = pinned(2), at_priority(7)
    asked = ask(admin, RESET, held)
    assert "2 pinned → changes to 2 pinned" in text_of(asked)
    send(admin, RESET, asked, reason="x")
    assert peek(held.key).priority == 2

    unchanged = "1 customer was not pinned, so nothing changed."
    done = send(admin, UNPIN, ask(admin, UNPIN, held, acme), reason="ended")
    assert told(done) == [f"Pin of {held} removed.", unchanged]
    assert not peek(held.key).pinned
    assert LogEntry.objects.latest("pk").object_id == str(held.pk)
    done = send(admin, UNPIN, ask(admin, UNPIN, acme), reason="ended")
    assert told(done) == [unchanged]
    assert Event.objects.count() == LogEntry.objects.count() == 2

    # A pin that has ended is none, and is mentioned nowhere.
    Counter.objects.update(pinned_priority=2, pinned_until=datetime(2020, 1, 1, tzinfo=UTC))
    done = send(admin, UNPIN, ask(admin, UNPIN, acme), reason="ended")
    assert told(done) == [unchanged]
    assert "pinned" not in text_of(ask(admin, RESET, acme))
    send(admin, RESET, ask(admin, RESET, acme), reason="ran twice")
    assert LogEntry.objects.latest("pk").change_message == "reset: 7 → 1 (ran twice)"


def test_forgetting_erases_the_customer_and_the_admin_s_own_history(admin: Client) -> None:
    acme = at_priority(7)
    check(acme.key, document="one")
    page = admin.get(reverse("admin:doc_priority_customer_delete", args=[acme.pk]), follow=True)
    assert "deleted permanently" in text_of(page)
    assert Customer.objects.exists()

    done = send(admin, FORGET, page, reason="they left")

    assert told(done) == ["1 customer was deleted."]
    assert done.request["PATH_INFO"] == reverse(CUSTOMERS)
    assert not Customer.objects.exists()
    assert Event.objects.get().kind == "forget"
    assert LogEntry.objects.get().action_flag == DELETION

    acme, birch, cedar = at_priority(7, name="Acme Ltd"), at_priority(8), at_rest()
    for one in (acme, birch, cedar):
        send(admin, RESET, ask(admin, RESET, one), reason="called +49 170 0000")
    done = send(admin, FORGET, tick(admin, "delete_selected", acme, cedar), reason="they left")
    assert told(done) == ["2 customers were deleted."]
    assert Customer.objects.get() == birch
    kept = LogEntry.objects.get(object_id=str(acme.pk))
    assert (kept.action_flag, kept.object_repr) == (DELETION, acme.key)
    assert "+49" not in kept.change_message
    services.forget(birch.key)
    assert not LogEntry.objects.filter(object_id=str(birch.pk)).exists()


def test_an_old_link_names_the_forgotten_customer_to_those_who_may_read_events(
    admin: Client, sign_in: SignIn
) -> None:
    acme = at_rest(key="C1042")
    send(admin, FORGET, ask(admin, FORGET, acme), reason="they left")
    reader = sign_in("view_customer", "reset_customer", "view_event", username="reader")
    viewer = sign_in("view_customer", "reset_customer", username="viewer")
    for client, said in (
        (reader, "The customer “C1042” has been deleted."),
        (viewer, "This customer does not exist. It may have been deleted."),
    ):
        for old in (
            f"{reverse(RESET)}?customer={acme.pk}",
            reverse("admin:doc_priority_customer_change", args=[acme.pk]),
        ):
            answer = client.get(old, follow=True)
            assert answer.request["PATH_INFO"] == reverse(CUSTOMERS)
            assert told(answer) == [said]
