"""The live list: columns, order, filters, search, pages, actions, and what its script asks for."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from doc_priority.admin import CustomerAdmin
from doc_priority.models import Customer
from doc_priority.services import check, reset
from tests.admin.conftest import CUSTOMERS, listed, text_of
from tests.factories import CustomerFactory, PolicyFactory, at_priority, at_rest, pinned

pytestmark = pytest.mark.django_db


def test_a_row_shows_priority_count_and_times_and_an_empty_list_what_to_do(admin: Client) -> None:
    shown = text_of(admin.get(reverse(CUSTOMERS)))
    assert "No customers yet A customer appears here after its first check" in shown
    CustomerFactory.create()
    shown = text_of(admin.get(f"{reverse(CUSTOMERS)}?priority=9"))
    assert "No customer matches. Show all customers" in shown

    at_priority(7, key="acme", name="Acme Ltd")
    CustomerFactory.create(key="birch", name="")
    response = admin.get(reverse(CUSTOMERS))
    shown, html = text_of(response), response.content.decode()
    assert re.search(r"Acme Ltd acme 7 −13 (25:00|24:5\d) \d\d:\d\d:\d\d", shown)
    assert 'title="13 documents since ' in html
    assert "dp-badge-7" in html
    assert "birch 1 0 – never" in shown


def test_the_worst_priority_comes_first_and_idle_customers_last(admin: Client) -> None:
    two, nine = at_priority(2), at_priority(9)
    idle = [at_rest(key=key) for key in ("r-1", "r-0")]
    five, held = at_priority(5), pinned(7, key="held")
    one = at_priority(1)
    order = [nine, held, five, two, one, *reversed(idle)]
    assert listed(admin) == [customer.pk for customer in order]

    # The longest interval of all policies decides who may be left out of the ordering.
    Customer.objects.all().delete()
    patient = at_rest(policy=PolicyFactory.create(reset_interval=86_400 * 3))
    at_priority(5)
    assert listed(admin)[0] == patient.pk
    assert listed(admin, "priority=9") == [patient.pk]


def test_any_order_lists_every_customer_once(admin: Client) -> None:
    everybody = {at_priority(level).pk for level in range(1, 10)}
    everybody |= {at_rest().pk, at_rest().pk, pinned(3).pk, CustomerFactory.create().pk}
    for column in (1, 2, 3, 4, 5):
        for order in (f"o={column}", f"o=-{column}"):
            found = listed(admin, order)
            assert len(found) == len(everybody), order
            assert set(found) == everybody, order
    Customer.objects.all().delete()
    nine, rest, five = at_priority(9).pk, at_rest().pk, at_priority(5).pk
    for order, first in (("o=2", rest), ("o=-2", nine), ("o=3", nine), ("o=-3", rest)):
        assert listed(admin, order)[:2] == [first, five], order


def test_pages_follow_each_other_without_a_gap(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CustomerAdmin, "list_per_page", 4)
    for level in range(1, 8):
        at_priority(level)
    for _ in range(6):
        at_rest()
    for order in ("", "o=2", "o=1"):
        pages = [listed(admin, f"{order}&p={number}") for number in range(1, 5)]
        assert [len(page) for page in pages] == [4, 4, 4, 1], order
        assert len({pk for page in pages for pk in page}) == 13, order

    Customer.objects.all().delete()
    monkeypatch.setattr(CustomerAdmin, "list_per_page", 3)
    active = at_priority(1, key="m")
    idle = {key: at_rest(key=key).pk for key in ("a", "b", "z")}
    pages = listed(admin, "o=-2.-1") + listed(admin, "o=-2.-1&p=2")
    assert pages == [idle["z"], active.pk, idle["b"], idle["a"]]


def test_each_filter_shows_the_customers_it_names(admin: Client) -> None:
    assert "By policy" not in text_of(admin.get(reverse(CUSTOMERS)))
    pks: dict[object, int] = {level: at_priority(level).pk for level in range(1, 10)}
    pks |= {"idle": at_rest().pk, "new": CustomerFactory.create().pk, "pinned": pinned(8).pk}
    gold = PolicyFactory.create()
    pks["gold"] = CustomerFactory.create(policy=gold).pk
    counting = {1, 2, 3, 4, 5, 6, 7, 8, 9}
    for query, expected in {
        "priority=7-9": {7, 8, 9, "pinned"},
        "priority=4-6": {4, 5, 6},
        "priority=1-3": {1, 2, 3, "idle", "new", "gold"},
        "priority=1": {1, "idle", "new", "gold"},
        "priority=5": {5},
        "state=counting": counting,
        "state=idle": {"idle", "new", "gold"},
        "state=pinned": {"pinned"},
        "policy=default": {*counting, "idle", "new", "pinned"},
        f"policy={gold.pk}": {"gold"},
        "priority=7-9&state=idle": set(),
    }.items():
        assert set(listed(admin, query)) == {pks[one] for one in expected}, query
    assert "By policy" in text_of(admin.get(reverse(CUSTOMERS)))


def test_a_portal_may_have_its_own_filters_and_search(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, unseen = at_priority(7), at_priority(9)
    monkeypatch.setattr(CustomerAdmin, "list_filter", (*CustomerAdmin.list_filter, "name"))
    assert listed(admin, "priority=7") == [seen.pk]
    monkeypatch.setattr(
        CustomerAdmin,
        "get_search_results",
        lambda self, request, customers, words: (customers.exclude(pk=unseen.pk), False),
    )
    assert listed(admin) == [seen.pk]
    assert Customer.objects.count() == 2


def test_a_wrong_address_lists_nobody_and_says_why(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CustomerAdmin, "list_per_page", 2)
    CustomerFactory.create(key="acme")
    CustomerFactory.create_batch(4)
    for query, said in (
        ("priority=zzz", "“zzz” is not a choice of the filter “priority”."),
        ("priority=7-99&q=acme", "“7-99” is not a choice of the filter “priority”."),
        ("state=foo&e=1", "“foo” is not a choice of the filter “status”."),
        ("policy=nope", "“nope” is not a choice of the filter “policy”."),
        ("p=999", "There is no page “999”. The last page is 3."),
        ("p=0", "There is no page “0”. The last page is 3."),
        ("p=two", "There is no page “two”. The last page is 3."),
        ("q=acme&p=2", "There is no page “2”. The last page is 1."),
        ("foo=bar", "This list has no filter “foo”."),
        ("key=a+b", "“a b” is not a choice of the filter “key”."),
        ("priority=<b>%E2%80%AE%00", "“<b>” is not a choice of the filter “priority”."),
        ("<script>x=1", "This list has no filter “<script>x”."),
    ):
        answer = admin.get(f"{reverse(CUSTOMERS)}?{query}")
        page = answer.content.decode()
        assert answer.status_code == 400, query
        assert f"{escape(said)}</bdi> Nothing is listed," in page, query
        assert '<a class="dp-button" href="?">Show all customers</a>' in page, query
        assert "data-customer" not in page, query
        assert "<script>x" not in page, query

    nine = at_priority(9, key="acme-nine")
    at_priority(9)
    page = admin.get(f"{reverse(CUSTOMERS)}?priority=7-99&q=acme&p=3").content.decode()
    put_right = re.search(r'href="\?([^"]*)"><bdi>7–9<', page)
    assert put_right is not None
    assert listed(admin, unescape(put_right[1])) == [nine.pk]
    assert '<a class="dp-button" href="?q=acme">Leave this out</a>' in page


def test_search_looks_for_every_word_in_key_and_name_and_a_link_for_a_key(admin: Client) -> None:
    acme = CustomerFactory.create(key="a-1", name="Acme Ltd").pk
    birch = CustomerFactory.create(key="b-7", name="Birch & Co").pk
    for words in ("acme", "ACME", "ltd acm"):
        assert listed(admin, f"q={words}") == [acme], words
    for words in ("birch", "B-7"):
        assert listed(admin, f"q={words}") == [birch], words
    assert listed(admin, "q=acme birch") == []
    for words in ("x " * 2_000, "%", "\\", "'", "_", "%00", "\x00", "😀"):
        assert admin.get(reverse(CUSTOMERS), {"q": words}).status_code == 200, words

    acme = CustomerFactory.create(key="acme", name="secret")
    CustomerFactory.create()
    assert listed(admin, "key=acme") == [acme.pk]
    for lookup in ("name__startswith=s", "key__regex=(", "counter__pending_documents=0", "key=%00"):
        assert admin.get(f"{reverse(CUSTOMERS)}?{lookup}").status_code == 400, lookup


def test_ticked_customers_are_exported_as_csv(admin: Client) -> None:
    acme, birch, cedar = at_priority(7), at_priority(5), at_rest()
    ticked = {"action": "export_as_csv", "index": 0, "_selected_action": [acme.pk, cedar.pk]}
    for query, across, expected in (
        ("priority=7-9", "0", [acme, cedar]),
        ("", "1", [acme, birch, cedar]),
    ):
        answer = admin.post(f"{reverse(CUSTOMERS)}?{query}", ticked | {"select_across": across})
        rows = b"".join(answer).decode().splitlines()
        assert [row.split(",")[0] for row in rows[1:]] == [one.key for one in expected]


def test_the_script_gets_rows_and_the_order_of_a_reload(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh = reverse("admin:doc_priority_customer_live")

    def live(*pks: int, query: str = "") -> Any:
        answer = admin.get(f"{refresh}?live={','.join(map(str, pks))}&{query}")
        assert answer.status_code == 200
        return answer.json()

    acme, idle = at_priority(7), at_rest(name="<b>Acme</b>")
    assert 'class="dp-badge dp-badge-7"' in live(acme.pk)["rows"][str(acme.pk)]["priority"]
    check(acme.key)
    check(acme.key)
    row = live(acme.pk)["rows"][str(acme.pk)]
    assert row["pending_documents"] == "−15"
    assert 'class="dp-badge dp-badge-8"' in row["priority"]
    assert 'class="dp-countdown"' in row["resets_in"]
    assert row.keys() == {"priority", "pending_documents", "resets_in", "last_update"}
    assert live(4711)["rows"] == {}
    page = admin.get(reverse(CUSTOMERS)).content.decode()
    for name, content in live(idle.pk)["rows"][str(idle.pk)].items():
        assert f'data-customer="{idle.pk}" data-cell="{name}">{content}</span>' in page

    Customer.objects.all().delete()
    acme, birch = at_priority(7), at_priority(8)
    assert live(birch.pk, acme.pk)["order"] == [birch.pk, acme.pk] == listed(admin)
    reset(birch.key)
    assert live(birch.pk, acme.pk)["order"] == [acme.pk, birch.pk] == listed(admin)
    left_the_filter = live(birch.pk, query="priority=9&o=1&q=customer")
    assert left_the_filter["order"] == []
    assert left_the_filter["rows"].keys() == {str(birch.pk)}
    monkeypatch.setattr(CustomerAdmin, "list_per_page", 1)
    assert live(acme.pk, query="p=2")["order"] == [birch.pk]
    assert live(acme.pk, query="p=3")["order"] == [acme.pk]
    assert "no-store" in admin.get(refresh).headers["Cache-Control"]
    for query in ("priority=x", "nothing=1", "key__regex=(", "q=%00", "key=%00"):
        assert admin.get(f"{refresh}?{query}").status_code == 400, query
