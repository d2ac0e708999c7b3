"""Who calls in the REST benchmark, and the customers they ask for."""

from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db import connections
from knox.models import AuthToken

from benchmarks.rest_plan import Person
from benchmarks.run import CUSTOMERS, customer
from doc_priority.services import check_many

Tokens = dict[Person, str]


def prepared(database: str, *, customers: int = CUSTOMERS) -> Tokens:
    """Fill this database, from now on this process's default one; gives everybody's token."""
    connections["default"] = connections[database]
    ContentType.objects.clear_cache()  # it remembers another database's numbers
    check_many([customer(number) for number in range(customers)])
    return {Person.MEMBER: _token(_member()), Person.SUPERUSER: _token(_superuser())}


def _member() -> User:
    """One permission, through one group, as a program's account would have it."""
    group = Group.objects.create(name="programs")
    group.permissions.add(Permission.objects.get(codename="check_customer"))
    user = User.objects.create_user(Person.MEMBER)
    user.groups.add(group)
    return user


def _superuser() -> User:
    return User.objects.create_superuser(Person.SUPERUSER)


def _token(user: User) -> str:
    _, token = AuthToken.objects.create(user)
    return str(token)
