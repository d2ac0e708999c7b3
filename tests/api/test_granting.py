"""The short statement grants what `has_perm` would grant, and nothing else."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.utils.functional import SimpleLazyObject
from rest_framework.authentication import BaseAuthentication

from doc_priority.api.permissions import is_granted
from doc_priority.api.views.checks import CheckEndpoint

pytestmark = pytest.mark.django_db

CHECK = "doc_priority.check_customer"
RESET = "doc_priority.reset_customer"


def permission(name: str) -> Permission:
    return Permission.objects.get(codename=name.partition(".")[2])


@pytest.fixture
def own() -> User:
    user = User.objects.create(username="own")
    user.user_permissions.add(permission(CHECK))
    return User.objects.get(pk=user.pk)


@pytest.fixture
def member() -> User:
    group = Group.objects.create(name="submitter")
    group.permissions.add(permission(CHECK))
    user = User.objects.create(username="member")
    user.groups.add(group)
    return User.objects.get(pk=user.pk)


def test_one_statement_finds_own_permissions_and_those_of_groups(
    own: User, member: User, django_assert_num_queries: Any
) -> None:
    ContentType.objects.get_by_natural_key("doc_priority", "customer")
    for user in (own, member):
        with django_assert_num_queries(1):
            assert is_granted(user, CHECK)
        assert not is_granted(user, RESET)
        assert user.has_perm(CHECK)
        assert not user.has_perm(RESET)


def test_a_user_that_is_read_when_it_is_needed(own: User) -> None:
    assert is_granted(SimpleLazyObject(lambda: own), CHECK)


def test_permissions_that_are_there_already_decide(own: User) -> None:
    own._perm_cache = set()  # type: ignore[attr-defined]  # as a token for less may put it there
    assert not is_granted(own, CHECK)
    assert not own.has_perm(CHECK)


def test_a_user_who_decides_by_itself(own: User) -> None:
    own.has_perm = lambda *_: False  # type: ignore[method-assign]  # somebody acts for it
    assert not is_granted(own, CHECK)


def test_other_backends_come_first(own: User, settings: Any) -> None:
    settings.AUTHENTICATION_BACKENDS = [
        "django.contrib.auth.backends.AllowAllUsersModelBackend",
        "django.contrib.auth.backends.ModelBackend",
    ]
    assert not is_granted(own, CHECK)
    assert own.has_perm(CHECK)


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_superuser": True}])
def test_has_perm_says_more_of_these(own: User, change: dict[str, bool]) -> None:
    User.objects.filter(pk=own.pk).update(**change)
    assert not is_granted(User.objects.get(pk=own.pk), CHECK)


def test_a_permission_of_a_model_that_is_not_there(own: User) -> None:
    assert not is_granted(own, "doc_priority.check_nothing")
    assert not is_granted(AnonymousUser(), CHECK)


class Bare:
    """Whom a portal signed in that knows no permissions."""

    is_authenticated = True
    pk = 7


class BareAuthentication(BaseAuthentication):
    def authenticate(self, request: Any) -> tuple[Bare, None]:
        return Bare(), None


def test_a_user_without_permissions_may_do_nothing(rf: Any) -> None:
    view = CheckEndpoint.as_view(authentication_classes=[BareAuthentication])
    request = rf.post("/customers/acme/check/", {}, content_type="application/json")

    answer = view(request, key="acme")

    assert answer.status_code == 403
    assert answer.data["detail"] == f"This needs the permission {CHECK}."
