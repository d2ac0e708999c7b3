"""Each page of a policy asks for its permission."""

import pytest
from django.urls import reverse

from doc_priority.models import Event, Policy
from tests.admin.conftest import SignIn
from tests.admin.policy_pages import LIST, address, delete_ticked, text_of
from tests.factories import CustomerFactory, PolicyFactory

pytestmark = pytest.mark.django_db


@pytest.mark.plain
def test_whoever_may_not_look_at_customers_gets_no_link_to_them(sign_in: SignIn) -> None:
    CustomerFactory(policy=PolicyFactory())
    text = text_of(sign_in("view_policy").get(LIST))
    assert '<td class="field-holders_count">1</td>' in text
    assert "?policy=" not in text


def test_an_empty_list_asks_only_those_who_may_to_add_one(sign_in: SignIn) -> None:
    text = text_of(sign_in("view_policy").get(LIST))
    assert "All customers are under the default policy" in text
    assert "add a policy" not in text


@pytest.mark.parametrize(
    ("permissions", "expected"),
    [
        ([], {"changelist": 403, "add": 403, "change": 403, "delete": 403, "preview": 403}),
        (
            ["view_policy"],
            {"changelist": 200, "add": 403, "change": 200, "delete": 403, "preview": 403},
        ),
        (
            ["add_policy"],
            {"changelist": 403, "add": 200, "change": 403, "delete": 403, "preview": 200},
        ),
        (
            ["change_policy"],
            {"changelist": 200, "add": 403, "change": 200, "delete": 403, "preview": 200},
        ),
        (
            ["delete_policy"],
            {"changelist": 403, "add": 403, "change": 403, "delete": 200, "preview": 403},
        ),
        (
            ["view_customer", "change_customer", "delete_customer"],
            {"changelist": 403, "add": 403, "change": 403, "delete": 403, "preview": 403},
        ),
    ],
)
def test_each_page_asks_for_its_permission(
    sign_in: SignIn, permissions: list[str], expected: dict[str, int]
) -> None:
    browser = sign_in(*permissions)
    gold = PolicyFactory()
    of_one = {"change", "delete"}
    answers = {
        page: browser.get(
            address(gold, page) if page in of_one else reverse(f"admin:doc_priority_policy_{page}")
        ).status_code
        for page in expected
    }
    assert answers == expected


@pytest.mark.parametrize("page", ["change", "delete"])
def test_without_the_permission_nothing_is_written(sign_in: SignIn, page: str) -> None:
    gold = PolicyFactory(reset_interval=60)
    browser = sign_in("view_policy")
    data = {"reset_interval": 600, "post": "yes"}
    assert browser.post(address(gold, page), data).status_code == 403
    assert delete_ticked(browser, gold).status_code == 200
    assert Policy.objects.get().reset_interval == 60
    assert not Event.objects.exists()
