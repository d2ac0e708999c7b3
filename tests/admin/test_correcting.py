"""Reset, pin, unpin and forget by hand: asked about first, done to those ticked, kept twice."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
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
from doc_priority.admin.forms import PinForm
from doc_priority.admin.selection import MOST
from doc_priority.models import Customer, Event
from doc_priority.services import check, peek
from tests.admin.conftest import SignIn
from tests.admin.customers import at_priority, at_rest, pinned
from tests.admin.lists import CUSTOMERS, listed, text_of, told
from tests.factories import CustomerFactory
from tests.sessions import open_transaction

pytestmark = pytest.mark.django_db

RESET = "admin:doc_priority_customer_reset"
PIN = "admin:doc_priority_customer_pin"
UNPIN = "admin:doc_priority_customer_unpin"
FORGET = "admin:doc_priority_customer_forget"
HOLD_COUNTER = "UPDATE doc_priority_counter SET pending_documents = pending_documents"
LATER = "2126-11-18T10:00"

_HIDDEN = re.compile(r'<input type="hidden" name="(customers|seen|list)" value="([^"]*)">')


def ask(client: Client, name: str, *customers: Customer) -> HttpResponse:
    """The confirmation as one comes to it from a customer's page."""
    asked = client.get(reverse(name), {"customer": [one.pk for one in customers]})
    assert asked.status_code == 200
    return asked


def tick(client: Client, action: str, *customers: Customer, query: str = "") -> HttpResponse:
    """The confirmation as one comes to it from the list."""
    return client.post(
        f"{reverse(CUSTOMERS)}?{query}",
        {"action": action, "index": 0, "_selected_action": [one.pk for one in customers]},
    )


def send(client: Client, name: str, asked: HttpResponse, **filled_in: str) -> HttpResponse:
    """Press the button of the page that was asked for."""
    hidden = dict(_HIDDEN.findall(asked.content.decode()))
    return client.post(reverse(name), hidden | filled_in, follow=True)


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
    assert "1001 customers were ticked; one page takes 1000." in text_of(asked)
    with django_assert_max_num_queries(45):
        done = send(admin, RESET, asked, reason="import ran twice")
    assert told(done) == ["1000 customers were reset."]
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


@pytest.mark.parametrize("customers", ["", "4711", "x", "1;2", "9" * 30, "²", "-1"])
def test_with_nobody_left_one_is_told_so(admin: Client, customers: str) -> None:
    for answer in (
        admin.get(reverse(RESET), {"customer": customers}, follow=True),
        admin.post(reverse(RESET), {"customers": customers, "reason": "x"}, follow=True),
    ):
        assert answer.status_code == 200
        assert "None of these customers exists any more" in told(answer)[0]
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
    with open_transaction(HOLD_COUNTER):
        answer = send(admin, RESET, asked, reason="x")
    assert (
        "Others are changing the same at this moment. Nothing was changed; try again."
        in text_of(answer)
    )
    assert told(send(admin, RESET, answer, reason="x")) == ["1 customer was reset."]


def test_a_pin_lasts_until_its_time(admin: Client) -> None:
    acme = at_priority(7)
    asked = ask(admin, PIN, acme)
    done = send(admin, PIN, asked, priority="2", until=LATER, reason="contract")
    assert told(done) == ["1 customer was pinned."]
    row = Customer.objects.live().get()
    assert (row.priority, row.pinned) == (2, True)
    assert timezone.localtime(row.pinned_until).strftime("%Y-%m-%dT%H:%M") == LATER
    assert Event.objects.get().reason == "contract"


@pytest.mark.parametrize(
    ("filled_in", "said"),
    [
        ({"priority": "", "until": LATER}, "This field is required."),
        ({"priority": "10", "until": LATER}, "Select a valid choice."),
        ({"priority": "2", "until": "2020-01-01T10:00"}, "This time has passed"),
        ({"priority": "2", "until": "soon"}, "Enter a valid date/time."),
        ({"priority": "2", "until": "9998-01-01T00:00"}, "This time is too far ahead"),
    ],
)
def test_a_pin_that_is_none_is_refused(admin: Client, filled_in: dict[str, str], said: str) -> None:
    acme = at_priority(7)
    answer = send(admin, PIN, ask(admin, PIN, acme), reason="x", **filled_in)
    assert said in text_of(answer)
    assert peek(acme.key).priority == 7


def test_a_portal_without_time_zones_pins_by_its_clock(admin: Client, settings: Any) -> None:
    settings.USE_TZ = False
    acme = at_priority(7)
    send(admin, PIN, ask(admin, PIN, acme), priority="2", until="2126-07-18T10:00", reason="x")
    until = Customer.objects.live().get().pinned_until
    assert until == datetime(2126, 7, 18, 8, tzinfo=UTC)


@pytest.mark.parametrize("until", ["2126-03-31T02:30", "2126-10-27T02:30"])
@pytest.mark.parametrize("use_tz", [True, False])
def test_times_that_the_clocks_show_never_or_twice_are_refused(
    admin: Client, settings: Any, until: str, use_tz: bool
) -> None:
    settings.USE_TZ = use_tz
    acme = at_priority(7)
    answer = send(admin, PIN, ask(admin, PIN, acme), priority="2", until=until, reason="x")
    assert 'class="errorlist"' in answer.content.decode()
    assert not peek(acme.key).pinned


@pytest.mark.parametrize("now", ["2026-10-25 00:10Z", "2026-10-25 00:30Z", "2026-10-25 01:30Z"])
def test_the_time_offered_in_the_night_of_the_clocks_is_accepted(admin: Client, now: str) -> None:
    acme = at_priority(7)
    with time_machine.travel(now, tick=False):
        session = Client()
        session.force_login(User.objects.get())
        asked = ask(session, PIN, acme)
        found = re.search(r'name="until" value="([^"]+)"', asked.content.decode())
        assert found is not None
        form = PinForm({"priority": "2", "until": found[1], "reason": "x"})
        assert form.is_valid(), form.errors


def test_pinning_and_unpinning_begin_in_the_list_too(admin: Client) -> None:
    acme, birch = at_priority(7), at_priority(8)
    asked = tick(admin, "pin_priority", acme, birch)
    done = send(admin, PIN, asked, priority="3", until=LATER, reason="contract")
    assert told(done) == ["2 customers were pinned."]
    done = send(admin, UNPIN, tick(admin, "unpin_priority", acme, birch), reason="ended")
    assert told(done) == ["2 customers were unpinned."]
    assert [peek(one.key).priority for one in (acme, birch)] == [7, 8]


def test_the_time_offered_for_a_pin_lies_an_hour_ahead(admin: Client) -> None:
    asked = ask(admin, PIN, at_priority(7)).content.decode()
    found = re.search(r'type="datetime-local" name="until" value="([^"]+)"', asked)
    assert found is not None
    offered = timezone.make_aware(datetime.strptime(found[1], "%Y-%m-%dT%H:%M"))  # noqa: DTZ007
    assert timedelta(minutes=58) < offered - datetime.now(UTC) <= timedelta(hours=1)
    assert "In the time zone Europe/Berlin." in asked


def test_a_pinned_customer_keeps_its_pin_when_it_is_reset(admin: Client) -> None:
    held = pinned(2, name="Held")
    asked = ask(admin, RESET, held)
    assert re.search(r"2 pinned → becomes 2 pinned", text_of(asked))
    send(admin, RESET, asked, reason="x")
    assert peek(held.key).priority == 2


def test_unpinning_lets_the_counter_decide(admin: Client) -> None:
    held = pinned(2)
    done = send(admin, UNPIN, ask(admin, UNPIN, held), reason="contract ended")
    assert told(done) == ["1 customer was unpinned."]
    assert not peek(held.key).pinned


def test_where_there_is_no_pin_nothing_is_claimed(admin: Client) -> None:
    held, acme = pinned(2), at_priority(7)
    done = send(admin, UNPIN, ask(admin, UNPIN, held, acme), reason="ended")
    assert told(done) == [
        "1 customer was unpinned.",
        "1 customer had no pin: there was nothing to do.",
    ]
    assert LogEntry.objects.get().object_id == str(held.pk)
    done = send(admin, UNPIN, ask(admin, UNPIN, acme), reason="ended")
    assert told(done) == ["1 customer had no pin: there was nothing to do."]
    assert Event.objects.count() == LogEntry.objects.count() == 1


def test_forgetting_takes_the_admins_own_history_along(admin: Client) -> None:
    acme, birch = at_priority(7, name="Acme Ltd"), at_priority(8)
    for one in (acme, birch):
        send(admin, RESET, ask(admin, RESET, one), reason="called +49 170 0000")
    send(admin, FORGET, ask(admin, FORGET, acme), reason="they left")
    kept = LogEntry.objects.filter(object_id=str(acme.pk)).get()
    assert (kept.action_flag, kept.object_repr) == (DELETION, acme.key)
    assert "+49" not in kept.change_message
    services.forget(birch.key)
    assert not LogEntry.objects.filter(object_id=str(birch.pk)).exists()


def test_forgetting_erases_and_leaves_one_event(admin: Client) -> None:
    acme = at_priority(7)
    check(acme.key, document="one")
    page = admin.get(reverse("admin:doc_priority_customer_delete", args=[acme.pk]), follow=True)
    assert "erased for good" in text_of(page)
    assert Customer.objects.exists()

    done = send(admin, FORGET, page, reason="they left")

    assert told(done) == ["1 customer was forgotten."]
    assert done.request["PATH_INFO"] == reverse(CUSTOMERS)
    assert not Customer.objects.exists()
    assert Event.objects.get().kind == "forget"
    assert LogEntry.objects.get().action_flag == DELETION


def test_several_are_forgotten_or_none(admin: Client) -> None:
    acme, birch = at_priority(7), at_rest()
    done = send(admin, FORGET, tick(admin, "delete_selected", acme, birch), reason="they left")
    assert told(done) == ["2 customers were forgotten."]
    assert not Customer.objects.exists()


@pytest.mark.parametrize(
    ("name", "permission"),
    [
        (RESET, "reset_customer"),
        (PIN, "pin_customer"),
        (UNPIN, "pin_customer"),
        (FORGET, "delete_customer"),
    ],
)
def test_each_needs_its_permission(sign_in: SignIn, name: str, permission: str) -> None:
    acme = at_priority(7)
    others = {"reset_customer", "pin_customer", "delete_customer", "change_customer"} - {permission}
    viewer = sign_in("view_customer", *others, username="viewer")
    address = reverse(name)
    for refused in (
        viewer.get(address, {"customer": acme.pk}),
        viewer.post(address, {"customers": acme.pk, "reason": "x", "priority": 1, "until": LATER}),
    ):
        assert refused.status_code == 403
    without_view = sign_in(permission, username="blind")
    assert without_view.get(address, {"customer": acme.pk}).status_code == 403
    permitted = sign_in("view_customer", permission, username="support")
    assert permitted.get(address, {"customer": acme.pk}).status_code == 200
    assert not Event.objects.exists()


@pytest.mark.parametrize("name", [RESET, PIN, UNPIN, FORGET])
def test_strangers_are_asked_to_sign_in_and_looking_changes_nothing(
    name: str, admin: Client
) -> None:
    acme = at_priority(7)
    assert Client().get(reverse(name)).status_code == 302
    assert Client().post(reverse(name), {"customers": acme.pk, "reason": "x"}).status_code == 302
    admin.get(reverse(name), {"customer": acme.pk, "reason": "x", "customers": acme.pk})
    assert admin.put(reverse(name)).status_code == 405
    assert not Event.objects.exists()


def test_a_post_without_the_token_of_the_form_is_refused(admin: Client) -> None:
    acme = at_priority(7)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = admin.cookies
    answer = strict.post(reverse(RESET), {"customers": acme.pk, "reason": "x"})
    assert answer.status_code == 403
    assert peek(acme.key).priority == 7


def test_markup_in_names_and_reasons_stays_text(admin: Client) -> None:
    name = '"><img src=x onerror=alert(1)>'
    acme = CustomerFactory.create(name=name)
    asked = ask(admin, RESET, acme)
    done = send(admin, RESET, asked, reason="<script>alert(1)</script>")
    again = ask(admin, RESET, acme)
    for page in (asked, done, again, admin.get(reverse(CUSTOMERS))):
        assert "<img src=x" not in page.content.decode()
        assert "<script>alert" not in page.content.decode()
