"""Who may do what: every role, every call, every customer."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db.models import Q
from django.test import Client, override_settings
from knox.models import AuthToken

from tests.api.calls import CALLS, UNSAFE, Call, methods_of_routes
from tests.api.conftest import PERMISSIONS, Api, Caller, UserOf
from tests.api.reach import (
    FOREIGN,
    MAKING,
    MISSING,
    OF_ONE_CUSTOMER,
    OWN,
    REACH,
    answered,
    make_two_customers,
    new_or_own,
    refused,
)

NEEDED = {
    ("GET", "customers"): "view_customer",
    ("POST", "customers"): "add_customer",
    ("GET", "customer"): "view_customer",
    ("PATCH", "customer"): "change_customer",
    ("DELETE", "customer"): "delete_customer",
    ("POST", "check"): "check_customer",
    ("POST", "checks"): "check_customer",
    ("POST", "reset"): "reset_customer",
    ("PUT", "pin"): "pin_customer",
    ("DELETE", "pin"): "pin_customer",
    ("GET", "events"): "view_customer",
    ("GET", "documents"): "view_customer",
    ("GET", "policies"): "view_policy",
    ("POST", "policies"): "add_policy",
    ("GET", "policy"): "view_policy",
    ("PATCH", "policy"): "change_policy",
    ("DELETE", "policy"): "delete_policy",
    ("GET", "stats"): "view_customer",
    ("GET", "schema"): "",
    ("GET", "docs"): "",
    ("GET", "asset"): None,
}
"""The permission each call needs; "" is anybody who is signed in, None is everybody."""

NAMED = tuple(call for call in CALLS if NEEDED[call.method, call.route])
UNSAFE_CALLS = tuple(call for call in CALLS if call.method.lower() in UNSAFE)
ROLES = ("anonymous", *PERMISSIONS)


each_call = pytest.mark.parametrize("call", CALLS, ids=str)
each_role = pytest.mark.parametrize("role", ROLES)


@pytest.fixture(autouse=True)
def two_customers(db: None) -> Iterator[None]:
    make_two_customers()
    with override_settings(DOC_PRIORITY=REACH):
        yield


@pytest.fixture
def caller_as(api: Api, user_of: UserOf) -> Any:
    return lambda role: api(None if role == "anonymous" else user_of(role))


def with_permissions(codenames: Q, *, granted: str) -> User:
    """Somebody with these permissions, beside a colleague and a group with all of them."""
    user, colleague = (User.objects.create(username=name) for name in ("somebody", "colleague"))
    group, others = (Group.objects.create(name=name) for name in ("group", "others"))
    ours = Permission.objects.filter(content_type__app_label="doc_priority")
    colleague.user_permissions.set(ours)
    others.permissions.set(ours)
    user.groups.add(group)
    holder = group.permissions if granted == "by group" else user.user_permissions
    holder.set(ours.filter(codenames))
    return user


def test_every_call_has_a_row_and_every_row_a_call() -> None:
    routed = set(methods_of_routes())

    assert set(NEEDED) == routed
    assert {(call.method, call.route) for call in CALLS} == routed


def keys_for(call: Call) -> tuple[str, ...]:
    """The customers to try, last the one whose call may change something."""
    names_one = call in OF_ONE_CUSTOMER or call in MAKING
    return (MISSING, FOREIGN, OWN) if names_one else (OWN,)


def allowed(role: str, call: Call) -> bool:
    needed = NEEDED[call.method, call.route]
    if not needed:
        return needed is None or role != "anonymous"
    return role == "superuser" or needed in PERMISSIONS.get(role, ())


def expected(role: str, call: Call, key: str) -> int:
    if not allowed(role, call):
        return 401 if role == "anonymous" else 403
    if call in MAKING:
        return 409 if key == OWN else 403
    return call.status if key == OWN or call not in OF_ONE_CUSTOMER else 404


@each_role
@each_call
def test_who_may_do_what_to_whose_customer(caller_as: Any, call: Call, role: str) -> None:
    caller = caller_as(role)

    for key in keys_for(call):
        status = expected(role, call, key)
        met = refused if status >= 400 else answered
        met(caller, call.to(key=key), status)


@each_role
@pytest.mark.parametrize("call", [call for call in CALLS if call.method == "GET"], ids=str)
def test_head_is_answered_to_those_who_may_get(caller_as: Any, call: Call, role: str) -> None:
    caller = caller_as(role)

    for key in keys_for(call):
        response = caller.request("HEAD", call.to(key=key)[1])

        assert response.status_code == expected(role, call, key)
        assert not response.content


@pytest.mark.parametrize("granted", ["directly", "by group"])
@pytest.mark.parametrize("call", NAMED, ids=str)
def test_one_permission_is_enough(api: Api, call: Call, granted: str) -> None:
    user = with_permissions(Q(codename=NEEDED[call.method, call.route]), granted=granted)

    answered(api(user), call.to(key=new_or_own(call)), call.status)


@pytest.mark.parametrize("granted", ["directly", "by group"])
@pytest.mark.parametrize("call", NAMED, ids=str)
def test_all_other_permissions_are_not_enough(api: Api, call: Call, granted: str) -> None:
    needed = NEEDED[call.method, call.route]
    user = with_permissions(~Q(codename=needed), granted=granted)

    response = refused(api(user), call.to(key=new_or_own(call)), 403)

    assert f"doc_priority.{needed}" in response.json()["detail"]


@each_call
def test_a_locked_out_user_is_nobody(api: Api, user_of: UserOf, call: Call) -> None:
    user = user_of("superuser")
    with_token, with_session = api(user), Caller(client=Client())
    with_session.client.force_login(user)
    User.objects.update(is_active=False)

    for caller in (with_token, with_session):
        is_nobody(caller, call)


@each_call
def test_a_revoked_token_is_nobodys(root: Caller, call: Call) -> None:
    AuthToken.objects.all().delete()

    is_nobody(root, call)


def is_nobody(caller: Caller, call: Call) -> None:
    if NEEDED[call.method, call.route] is None:
        answered(caller, call.to(key=OWN), call.status)
    else:
        refused(caller, call.to(key=OWN), 401)


@pytest.fixture
def session(user_of: UserOf) -> Caller:
    """A superuser's browser, which has been told the CSRF token."""
    caller = Caller(client=Client(enforce_csrf_checks=True))
    caller.client.force_login(user_of("superuser"))
    assert caller.get("docs/").status_code == 200
    return caller


@pytest.mark.parametrize("call", UNSAFE_CALLS, ids=str)
def test_a_session_changes_nothing_without_its_token(session: Caller, call: Call) -> None:
    request = call.to(key=new_or_own(call))

    response = refused(session, request, 403)
    assert "CSRF" in response.json()["detail"]

    session.headers = {"X-CSRFToken": session.client.cookies["csrftoken"].value}
    answered(session, request, call.status)
