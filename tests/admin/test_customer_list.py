"""The live list: columns, order, filters, search, pages, and what it costs."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from doc_priority.admin import CustomerAdmin
from doc_priority.models import Customer
from tests.admin.conftest import SignIn
from tests.admin.customers import at_priority, at_rest, pinned
from tests.admin.lists import CUSTOMERS, listed, text_of
from tests.factories import CounterFactory, CustomerFactory, PolicyFactory

pytestmark = pytest.mark.django_db


def test_a_row_says_where_the_customer_stands_and_why(admin: Client) -> None:
    at_priority(7, key="acme", name="Acme Ltd")
    response = admin.get(reverse(CUSTOMERS))
    shown = text_of(response)
    assert re.search(r"Acme Ltd acme 7 −13 (25:00|24:5\d) \d\d:\d\d:\d\d", shown)
    assert 'title="13 documents since ' in response.content.decode()
    assert "dp-badge-7" in response.content.decode()


def test_a_customer_that_never_counted_has_no_times(admin: Client) -> None:
    CustomerFactory.create(key="birch", name="")
    assert "birch 1 0 at 0 never" in text_of(admin.get(reverse(CUSTOMERS)))


def test_the_worst_priority_comes_first_and_those_at_rest_last(admin: Client) -> None:
    two, nine = at_priority(2), at_priority(9)
    resting = [at_rest(key=key) for key in ("r-1", "r-0")]
    five, held = at_priority(5), pinned(7, key="held")
    one = at_priority(1)
    order = [nine, held, five, two, one, *reversed(resting)]
    assert listed(admin) == [customer.pk for customer in order]


@pytest.mark.parametrize("column", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("sign", ["", "-"])
def test_any_order_has_everybody_once(admin: Client, column: int, sign: str) -> None:
    everybody = {at_priority(level).pk for level in range(1, 10)}
    everybody |= {at_rest().pk, at_rest().pk, pinned(3).pk, CustomerFactory.create().pk}
    found = listed(admin, f"o={sign}{column}")
    assert len(found) == len(everybody)
    assert set(found) == everybody


@pytest.mark.parametrize(
    ("order", "first"), [("o=2", "rest"), ("o=-2", "nine"), ("o=3", "nine"), ("o=-3", "rest")]
)
def test_priority_and_pending_documents_go_both_ways(admin: Client, order: str, first: str) -> None:
    pks = {"nine": at_priority(9).pk, "rest": at_rest().pk, "five": at_priority(5).pk}
    found = listed(admin, order)
    assert found[0] == pks[first]
    assert found[1] == pks["five"]


@pytest.mark.parametrize("order", ["", "o=2", "o=1"])
def test_pages_follow_each_other_without_a_gap(
    admin: Client, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("doc_priority.admin.CustomerAdmin.list_per_page", 4)
    for level in range(1, 8):
        at_priority(level)
    for _ in range(6):
        at_rest()
    pages = [listed(admin, f"{order}&p={number}") for number in range(1, 5)]
    assert [len(page) for page in pages] == [4, 4, 4, 1]
    assert len({pk for page in pages for pk in page}) == 13


def test_a_second_column_of_the_order_counts_on_every_page(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("doc_priority.admin.CustomerAdmin.list_per_page", 3)
    moving = at_priority(1, key="m")
    resting = {key: at_rest(key=key).pk for key in ("a", "b", "z")}
    pages = listed(admin, "o=-2.-1") + listed(admin, "o=-2.-1&p=2")
    assert pages == [resting["z"], moving.pk, resting["b"], resting["a"]]


def test_a_portals_own_filters_may_stand_beside_ours(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = CustomerFactory.create()
    ours = CustomerAdmin.list_filter
    monkeypatch.setattr(CustomerAdmin, "list_filter", (*ours, "name"))
    assert listed(admin, "priority=1") == [acme.pk]


@pytest.mark.parametrize(
    ("query", "levels"),
    [
        ("priority=7-9", {7, 8, 9}),
        ("priority=4-6", {4, 5, 6}),
        ("priority=1-3", {1, 2, 3, "rest", "new"}),
        ("priority=1", {1, "rest", "new"}),
        ("priority=5", {5}),
        ("state=counting", {1, 2, 3, 4, 5, 6, 7, 8, 9}),
        ("state=idle", {"rest", "new"}),
        ("state=pinned", {"pinned"}),
        ("policy=default", {1, 2, 3, 4, 5, 6, 7, 8, 9, "rest", "new", "pinned"}),
        ("priority=7-9&state=idle", set()),
    ],
)
def test_each_filter_shows_who_is_like_this(admin: Client, query: str, levels: set[object]) -> None:
    pks: dict[object, int] = {level: at_priority(level).pk for level in range(1, 10)}
    pks |= {"rest": at_rest().pk, "new": CustomerFactory.create().pk}
    pks["pinned"] = pinned(8).pk
    of_another_policy = CustomerFactory.create(policy=PolicyFactory.create())
    found = set(listed(admin, query))
    if query == "priority=7-9":
        levels = {*levels, "pinned"}
    if query in ("priority=1-3", "priority=1", "state=idle"):
        found.remove(of_another_policy.pk)
    assert found == {pks[level] for level in levels}


def test_a_policy_can_be_filtered_by(admin: Client) -> None:
    policy = PolicyFactory.create(name="contract")
    theirs = CustomerFactory.create(policy=policy)
    CustomerFactory.create()
    assert listed(admin, f"policy={policy.pk}") == [theirs.pk]
    assert "By policy" in text_of(admin.get(reverse(CUSTOMERS)))


def test_without_a_named_policy_there_is_nothing_to_choose(admin: Client) -> None:
    CustomerFactory.create()
    assert "By policy" not in text_of(admin.get(reverse(CUSTOMERS)))
    assert len(listed(admin, "policy=default")) == 1


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("priority=zzz", "“zzz” is not a choice of the filter “priority”."),
        ("priority=7-99&q=acme", "“7-99” is not a choice of the filter “priority”."),
        ("state=foo&e=1", "“foo” is not a choice of the filter “state”."),
        ("policy=nope", "“nope” is not a choice of the filter “policy”."),
        ("p=999", "There is no page “999”; the last one is 3."),
        ("p=0", "There is no page “0”; the last one is 3."),
        ("p=two", "There is no page “two”; the last one is 3."),
        ("q=acme&p=2", "There is no page “2”; the last one is 1."),
        ("foo=bar", "This list has no filter “foo”."),
        ("key=a+b", "“a b” is not a choice of the filter “key”."),
        ("priority=<b>%E2%80%AE%00", "“<b>” is not a choice of the filter “priority”."),
        ("<script>x=1", "This list has no filter “<script>x”."),
    ],
)
def test_an_address_that_asks_for_what_is_not_there_lists_nobody_and_says_so(
    admin: Client, query: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("doc_priority.admin.CustomerAdmin.list_per_page", 2)
    CustomerFactory.create(key="acme")
    CustomerFactory.create_batch(4)
    answer = admin.get(f"{reverse(CUSTOMERS)}?{query}")
    page = answer.content.decode()
    assert answer.status_code == 400
    assert f"{escape(said)}</bdi> Nothing is listed," in page
    assert '<a class="dp-button" href="?">Show all customers</a>' in page
    assert "data-customer" not in page
    assert "<script>x" not in page


def test_a_mistyped_address_is_put_right_by_a_click(admin: Client) -> None:
    nine = at_priority(9, key="acme")
    at_priority(9)
    page = admin.get(f"{reverse(CUSTOMERS)}?priority=7-99&q=acme&p=3").content.decode()
    address = re.search(r'href="\?([^"]*)"><bdi>7–9<', page)
    assert address is not None
    assert listed(admin, unescape(address[1])) == [nine.pk]
    assert '<a class="dp-button" href="?q=acme">Leave this out</a>' in page


@pytest.mark.parametrize(
    ("words", "found"),
    [("acme", 1), ("ACME", 1), ("ltd acm", 1), ("birch", 1), ("B-7", 1), ("acme birch", 0)],
)
def test_search_looks_for_every_word_in_key_and_name(admin: Client, words: str, found: int) -> None:
    CustomerFactory.create(key="a-1", name="Acme Ltd")
    CustomerFactory.create(key="b-7", name="Birch & Co")
    assert len(listed(admin, f"q={words}")) == found


def test_a_link_may_name_a_key_and_nothing_else_of_the_table(admin: Client) -> None:
    acme = CustomerFactory.create(key="acme", name="secret")
    CustomerFactory.create()
    assert listed(admin, "key=acme") == [acme.pk]
    for lookup in ("name__startswith=s", "key__regex=(", "counter__pending_documents=0", "key=%00"):
        assert admin.get(f"{reverse(CUSTOMERS)}?{lookup}").status_code == 400


def test_many_words_and_strange_ones_are_searched_for(admin: Client) -> None:
    CustomerFactory.create()
    for words in ("x " * 2_000, "%", "\\", "'", "_", "%00", "😀"):
        assert admin.get(reverse(CUSTOMERS), {"q": words}).status_code == 200


def test_a_list_nobody_is_in_says_what_to_do(admin: Client) -> None:
    assert "No customers yet A customer appears here with its first check" in text_of(
        admin.get(reverse(CUSTOMERS))
    )
    CustomerFactory.create()
    shown = text_of(admin.get(f"{reverse(CUSTOMERS)}?priority=9"))
    assert "No customer is like this now. Show all customers" in shown


def test_names_are_shown_as_they_are(admin: Client) -> None:
    long, markup, hebrew = "x" * 200, "<script>alert(1)</script>", "חברה בע״מ"
    for name in (long, markup, hebrew):
        CustomerFactory.create(name=name)
    content = admin.get(reverse(CUSTOMERS)).content.decode()
    assert "<script>alert" not in content
    assert '<bdi class="dp-name">&lt;script&gt;alert(1)&lt;/script&gt;</bdi>' in content
    assert f'<bdi class="dp-name">{hebrew}</bdi>' in content
    assert long in content


def make_everything(*, times: int) -> None:
    for _ in range(times):
        for level in (1, 7, 9):
            at_priority(level)
        at_rest()


@pytest.mark.parametrize("query", ["", "priority=7-9", "priority=1", "state=idle", "q=customer"])
def test_the_number_of_queries_does_not_grow(
    sign_in: SignIn,
    query: str,
    django_assert_num_queries: DjangoAssertNumQueries,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One more where the list has several pages; a page with customers of both kinds has two."""
    monkeypatch.setattr("doc_priority.admin.CustomerAdmin.list_per_page", 10)
    client = sign_in("view_customer")
    make_everything(times=1)
    with django_assert_num_queries(9):
        listed(client, query)
    make_everything(times=20)
    with django_assert_num_queries(10):
        listed(client, query)


def test_without_the_permission_there_is_no_list(sign_in: SignIn) -> None:
    assert sign_in().get(reverse(CUSTOMERS)).status_code == 403


def test_strangers_are_asked_to_sign_in(client: Client, db: None) -> None:
    assert client.get(reverse(CUSTOMERS)).status_code == 302


def actions_of(client: Client) -> set[str]:
    content = client.get(reverse(CUSTOMERS)).content.decode()
    options = re.findall(r'<option value="(\w+)"', content)
    return set(options)


@pytest.mark.parametrize(
    ("permission", "actions"),
    [
        ("view_customer", set()),
        ("reset_customer", {"reset_priority"}),
        ("pin_customer", {"pin_priority", "unpin_priority"}),
        ("delete_customer", {"delete_selected"}),
    ],
)
def test_only_what_is_permitted_is_offered(
    sign_in: SignIn, permission: str, actions: set[str]
) -> None:
    CustomerFactory.create()
    client = sign_in(*{"view_customer", permission})
    assert actions_of(client) == {"export_as_csv", *actions}


def test_what_is_ticked_can_be_taken_along_as_csv(admin: Client) -> None:
    acme, birch, cedar = at_priority(7), at_priority(5), at_rest()
    ticked = {"action": "export_as_csv", "index": 0, "_selected_action": [acme.pk, cedar.pk]}
    answer = admin.post(f"{reverse(CUSTOMERS)}?priority=7-9", ticked)
    rows = b"".join(answer).decode().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == [acme.key, cedar.key]
    answer = admin.post(reverse(CUSTOMERS), ticked | {"select_across": "1"})
    rows = b"".join(answer).decode().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == [acme.key, birch.key, cedar.key]


def test_an_interval_of_its_own_keeps_a_customer_moving(admin: Client) -> None:
    """The longest interval of all policies decides who may be left out of the ordering."""
    policy = PolicyFactory.create(reset_interval=86_400 * 3)
    customer = CustomerFactory.create(policy=policy)
    two_days_ago = datetime.now(UTC) - timedelta(days=2)
    CounterFactory.create(customer=customer, pending_documents=-40, updated_at=two_days_ago)
    at_priority(5)
    assert listed(admin)[0] == customer.pk
    assert listed(admin, "priority=9") == [customer.pk]


def test_a_portal_may_narrow_who_is_seen(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, unseen = at_priority(7), at_priority(9)
    monkeypatch.setattr(
        "doc_priority.admin.CustomerAdmin.get_search_results",
        lambda self, request, customers, words: (customers.exclude(pk=unseen.pk), False),
    )
    assert listed(admin) == [seen.pk]
    assert Customer.objects.count() == 2
    assert User.objects.get().username == "root"
