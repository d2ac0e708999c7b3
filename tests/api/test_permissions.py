"""Who may do what: every role, every call, every customer; others' customers are not there."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, override_settings
from django.urls import resolve
from django.utils.functional import SimpleLazyObject
from knox.models import AuthToken
from rest_framework.authentication import BaseAuthentication

from doc_priority import services
from doc_priority.api.permissions import is_granted
from doc_priority.api.urls import urlpatterns
from doc_priority.api.views import CheckView
from doc_priority.exceptions import CustomerNotFound, CustomerOutOfReach
from doc_priority.models import Customer, Policy
from tests.api.conftest import (
    CALLS,
    PERMISSIONS,
    PREFIX,
    Call,
    Caller,
    assert_problem,
    make_customer,
    rows_of,
    undone,
)
from tests.databases import everything_stored
from tests.factories import CustomerFactory, PolicyFactory

OWN, FOREIGN, MISSING = "own-acme", "foreign-birch", "missing-birch"
OF_ONE_CUSTOMER = [call for call in CALLS if "{key}" in call.address or call.address == "checks/"]
MAKING = CALLS[1]


@pytest.fixture(autouse=True)
def two_customers(db: None, reach: Any) -> None:
    """One within reach and one out of it, alike in everything but their keys; and a policy."""
    PolicyFactory(name="gold")
    for key in (OWN, FOREIGN):
        make_customer(key)
    reach(lambda user: Customer.objects.filter(key__startswith="own-"))


def to_own(call: Call) -> tuple[str, str, Any]:
    """The call for a customer within reach, or for a new one."""
    return call.to(key="own-new" if call == MAKING else OWN)


def refused(caller: Caller, request: tuple[str, str, Any], status: int) -> Any:
    """The answer to a call that is refused and leaves everything as it is."""
    before = everything_stored()
    answer = caller.request(*request)
    assert answer.status_code == status, (request, answer.content)
    assert answer["Content-Type"] == "application/problem+json"
    assert everything_stored() == before
    return answer


def test_every_call_has_a_row_and_every_row_a_call() -> None:
    offered = set()
    for route in urlpatterns:
        methods = ("get", "post", "put", "patch", "delete")
        view = route.callback.view_class
        if route.name != "unknown":
            offered |= {(one.upper(), route.name) for one in methods if hasattr(view, one)}

    tried = {(call.method, resolve(PREFIX + call.to()[1]).url_name) for call in CALLS}
    assert tried == offered


@pytest.mark.parametrize("role", ["anonymous", *PERMISSIONS])
def test_who_may_do_what_to_whose_customer(caller_as: Any, role: str) -> None:
    def expected_status(call: Call, key: str) -> int:
        if call.needs is None or (not call.needs and role != "anonymous"):
            return call.status
        if role != "superuser" and call.needs not in PERMISSIONS.get(role, ()):
            return 401 if role == "anonymous" else 403
        if call == MAKING:
            return 409 if key == OWN else 403
        return 404 if call in OF_ONE_CUSTOMER and key != OWN else call.status

    caller = Caller() if role == "anonymous" else caller_as(role)
    for call in CALLS:
        for key in (MISSING, FOREIGN, OWN):
            status, request = expected_status(call, key), call.to(key=key)
            with undone():
                if status >= 400:
                    refused(caller, request, status)
                else:
                    before = everything_stored()
                    assert caller.request(*request).status_code == status, (call, key)
                    assert call.method != "GET" or everything_stored() == before
            if call.method == "GET":
                head = caller.request("HEAD", request[1])
                assert (head.status_code, head.content) == (status, b""), (call, key)


@pytest.mark.parametrize("granted", ["directly", "by group"])
def test_one_permission_is_enough_and_all_others_are_not(granted: str) -> None:
    ours = Permission.objects.filter(content_type__app_label="doc_priority")
    user, colleague = (User.objects.create(username=name) for name in ("somebody", "colleague"))
    group, others = (Group.objects.create(name=name) for name in ("group", "others"))
    colleague.user_permissions.set(ours)
    others.permissions.set(ours)
    user.groups.add(group)
    holder = group.permissions if granted == "by group" else user.user_permissions
    caller = Caller(user)

    for call in CALLS:
        if call.needs:
            holder.set(ours.exclude(codename=call.needs))
            answer = refused(caller, to_own(call), 403)
            assert f"doc_priority.{call.needs}" in answer.json()["detail"]

            holder.set(ours.filter(codename=call.needs))
            with undone():
                assert caller.request(*to_own(call)).status_code == call.status, call


def test_whoever_is_nobody_may_do_nothing(root: Caller, caller_as: Any) -> None:
    revoked, browser = caller_as("viewer"), Caller()
    AuthToken.objects.filter(user=revoked.user).delete()
    browser.client.force_login(root.user)
    User.objects.filter(pk=root.user.pk).update(is_active=False)

    for caller in (root, browser, revoked, Caller()):
        for call in CALLS:
            if call.needs is None:
                assert caller.request(*to_own(call)).status_code == 200
            else:
                assert refused(caller, to_own(call), 401)["WWW-Authenticate"] == "Token"


def test_a_session_changes_nothing_without_its_token(root: Caller) -> None:
    browser = Caller(client=Client(enforce_csrf_checks=True))
    browser.client.force_login(root.user)
    assert browser.get("docs/").status_code == 200
    token = browser.client.cookies["csrftoken"].value

    for call in CALLS:
        if call.method != "GET":
            answer = refused(browser, to_own(call), 403)
            assert "CSRF" in answer.json()["detail"]
            with undone():
                answer = browser.request(*to_own(call), headers={"X-CSRFToken": token})
                assert answer.status_code == call.status, call


def test_one_statement_finds_permissions_and_decides_nothing_that_somebody_else_decides(
    django_assert_num_queries: Any, settings: Any, rf: Any
) -> None:
    check = "doc_priority.check_customer"

    def a_checker() -> User:
        """Somebody who may check documents, with no permission read yet."""
        user, _ = User.objects.get_or_create(username="checker")
        user.user_permissions.add(Permission.objects.get(codename="check_customer"))
        return User.objects.get(pk=user.pk)

    group = Group.objects.create(name="submitter")
    group.permissions.add(Permission.objects.get(codename="check_customer"))
    member = User.objects.create(username="member")
    member.groups.add(group)
    ContentType.objects.get_by_natural_key("doc_priority", "customer")

    for user in (a_checker(), User.objects.get(pk=member.pk)):
        with django_assert_num_queries(1):
            assert is_granted(user, check)
        assert not is_granted(user, "doc_priority.reset_customer")
        assert user.has_perm(check)
        assert not user.has_perm("doc_priority.reset_customer")
    assert is_granted(SimpleLazyObject(a_checker), check)
    assert not is_granted(a_checker(), "doc_priority.check_nothing")
    assert not is_granted(AnonymousUser(), check)

    narrowed: Any = a_checker()
    narrowed._perm_cache = set()  # as a token for less may put it there
    assert not is_granted(narrowed, check)
    assert not narrowed.has_perm(check)

    acted_for: Any = a_checker()
    acted_for.has_perm = lambda *_: False
    assert not is_granted(acted_for, check)

    for change in ({"is_active": False}, {"is_active": True, "is_superuser": True}):
        User.objects.filter(pk=narrowed.pk).update(**change)
        assert not is_granted(a_checker(), check), change

    User.objects.filter(pk=narrowed.pk).update(is_superuser=False)
    settings.AUTHENTICATION_BACKENDS = [
        "django.contrib.auth.backends.AllowAllUsersModelBackend",
        "django.contrib.auth.backends.ModelBackend",
    ]
    assert not is_granted(a_checker(), check)
    assert a_checker().has_perm(check)

    # Whom a portal signed in that knows no permissions.
    class BareAuthentication(BaseAuthentication):
        def authenticate(self, request: Any) -> tuple[Any, None]:
            return SimpleNamespace(is_authenticated=True, pk=7), None

    view = CheckView.as_view(authentication_classes=[BareAuthentication])
    request = rf.post("/customers/acme/check/", {}, content_type="application/json")

    answer = view(request, key="acme")

    assert answer.status_code == 403
    assert answer.data["detail"] == f"This needs the permission {check}."


def test_a_foreign_customer_answers_as_a_missing_one_and_nothing_counts(root: Caller) -> None:
    """The same, byte for byte, but for the key itself; nor does another fault tell."""
    past = {"priority": 1, "until": "2001-01-01T00:00:00Z", "reason": "r"}
    requests = [
        *((call.method, call.address, call.body or {}, 404) for call in OF_ONE_CUSTOMER),
        ("PATCH", "customers/{key}/", {"policy": "no such policy"}, 404),
        ("PATCH", "customers/{key}/", {}, 404),
        ("PUT", "customers/{key}/pin/", past, 404),
        ("POST", "customers/", {"customer": "{key}"}, 403),
        ("POST", "customers/", {"customer": "{key}", "policy": "gold"}, 403),
        ("POST", "customers/", {"customer": "{key}", "policy": None}, 403),
        ("POST", "customers/", {"customer": "{key}", "policy": "no such policy"}, 404),
    ]

    for *request, status in requests:
        foreign, missing = (
            refused(root, json.loads(json.dumps(request).replace("{key}", key)), status)
            for key in (FOREIGN, MISSING)
        )

        assert foreign.content.replace(b"foreign", b"missing") == missing.content
        assert dict(foreign.headers) == dict(missing.headers)
    answer = root.get(f"customers/{FOREIGN}/", headers={"If-None-Match": "*"})
    assert answer.status_code == 404
    assert "ETag" not in answer

    for keys in ([FOREIGN, OWN, OWN], [OWN, FOREIGN, OWN], [OWN, OWN, MISSING]):
        items = [{"customer": key} for key in keys]
        detail = refused(root, ("POST", "checks/", {"items": items}), 404).json()["detail"]
        assert OWN not in detail
        assert FOREIGN in detail or MISSING in detail


def test_lists_and_stats_leave_others_customers_out(root: Caller, reach: Any) -> None:
    Customer.objects.update(policy=Policy.objects.get())
    queries = ("search=-", "priority_min=1", "state=pinned", "policy=gold", "ordering=-customer")
    for query in ("", *queries, "ordering=name", "ordering=-priority", "ordering=updated_at"):
        assert [row["customer"] for row in rows_of(root, f"customers/?{query}")] == [OWN], query
    assert rows_of(root, "customers/?search=birch") == []

    stats = root.get("stats/").json()
    assert (stats["customers"], stats["pinned"], sum(stats["priorities"].values())) == (1, 1, 1)

    # Deleting a policy that others' customers have is refused without naming one of them.
    answer = refused(root, ("DELETE", "policies/gold/", b""), 409)
    assert FOREIGN not in answer.content.decode()

    CustomerFactory(key="own-zebra")
    listed = rows_of(root, "customers/?limit=1")
    assert [row["customer"] for row in listed] == [OWN, "own-zebra"]

    # Whoever is reached twice comes once.
    for document in ("INV-1", "INV-2"):
        services.check(OWN, document=document)
    reach(lambda user: Customer.objects.filter(documents__document__startswith="INV"))
    assert len(rows_of(root, "customers/")) == root.get("stats/").json()["customers"] == 1


@pytest.mark.parametrize("document", [{}, {"document": "d"}])
def test_who_is_made_by_a_check(root: Caller, document: dict[str, str]) -> None:
    one = ("POST", "customers/own-new/check/", document)
    many = ("POST", "checks/", {"items": [{"customer": "own-new", **document}, {"customer": OWN}]})

    for request in (one, many):
        refused(root, request, 404)
        with override_settings(DOC_PRIORITY={"CREATE_CUSTOMERS": False}):
            problem = refused(root, request, 404).json()
            assert problem["code"] == "customer_not_found"
            assert "'own-new'" in problem["detail"]
        with override_settings(DOC_PRIORITY={}), undone():
            assert root.request(*request).status_code == 200
            assert services.check("own-new").pending_documents == -1
            assert len(rows_of(root, "customers/")) == root.get("stats/").json()["customers"] == 3
            assert root.get(f"customers/{FOREIGN}/").status_code == 200


def test_a_reach_that_is_no_queryset_of_customers_is_an_error(root: Caller, reach: Any) -> None:
    before, customers = everything_stored(), Customer.objects.order_by("key")

    for wrong in (
        *(None, [], list(customers), Policy.objects.all(), Customer.objects, customers[:1]),
        customers.filter(key=OWN).union(customers.filter(key=FOREIGN)),
        Customer.objects.order_by("name").distinct("name"),
    ):
        reach(lambda user, wrong=wrong: wrong)
        for call in CALLS:
            if call in OF_ONE_CUSTOMER or call.address in ("customers/", "stats/"):
                with pytest.raises(ImproperlyConfigured, match="API_CUSTOMERS"):
                    root.request(*to_own(call))

    assert everything_stored() == before


def test_no_change_loses_a_customer_and_no_service_reaches_further(
    root: Caller, reach: Any
) -> None:
    CustomerFactory(key="acme", name="Acme", policy=Policy.objects.get())
    reach(lambda user: Customer.objects.filter(policy__name="gold"))
    before = everything_stored()

    answer = root.patch("customers/acme/", {"name": "Acme & Sons", "policy": None})

    assert_problem(answer, 403, "customer_out_of_reach")
    assert everything_stored() == {**before, "Counter": everything_stored()["Counter"]}
    assert root.patch("customers/acme/", {"name": "Acme & Sons"}).status_code == 200

    for call in (
        lambda: services.check("new", must_exist=True),
        lambda: services.check("new", document="INV-1", must_exist=True),
        lambda: services.check_many(["new"], must_exist=True),
        lambda: services.check_many([("new", "INV-1")], must_exist=True),
    ):
        with pytest.raises(CustomerNotFound, match="'new'"):
            call()
    assert not Customer.objects.filter(key="new").exists()

    with pytest.raises(CustomerOutOfReach, match=OWN):
        services.change_customer(OWN, name="Other", among=Customer.objects.none())
    assert Customer.objects.get(key=OWN).name != "Other"
