"""Every address of the admin, as the URL configuration has it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.apps import apps
from django.contrib.admin import site
from django.contrib.contenttypes.models import ContentType
from django.urls import get_resolver

from doc_priority.models import Customer

PREFIX = "admin/"
OURS = "admin/doc_priority/"
APP_LIST = "admin/doc_priority/"


class Address(NamedTuple):
    """A route, and a path that it leads to."""

    route: str
    path: str


def admin_addresses() -> list[Address]:
    """Each with something that is there, where there is anything."""
    routes = [route for route in _routes(get_resolver().url_patterns, "") if _is_admin(route)]
    return [Address(route, f"/{_filled_in(route)}") for route in routes]


def our_addresses() -> list[Address]:
    return [one for one in admin_addresses() if one.route.startswith(OURS)]


def all_there_is_to_do() -> set[str]:
    """Every page of ours looked at and sent a form, or of a list each action: method and route."""
    routes = [one.route for one in our_addresses()]
    actions = dict(_actions())
    looks = {f"GET {route}" for route in routes}
    forms = {f"POST {route}" for route in routes if route not in actions}
    return looks | forms | {f"POST {route} {name}" for route in actions for name in actions[route]}


def _actions() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Of each list of ours, by its route; what Django offers of itself, where there are none."""
    for model in apps.get_app_config("doc_priority").get_models():
        if site.is_registered(model):
            names = site.get_model_admin(model).actions or [name for name, _ in site.actions]
            yield f"{OURS}{model._meta.model_name}/", tuple(map(str, names))


def _routes(patterns: list[Any], before: str) -> Iterator[str]:
    for pattern in patterns:
        route = f"{before}{pattern.pattern}"
        if hasattr(pattern, "url_patterns"):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route


def _is_admin(route: str) -> bool:
    return route.startswith(PREFIX)


def _filled_in(route: str) -> str:
    if "(?P<app_label>" in route:
        return APP_LIST
    if "(?P<url>" in route:
        return "admin/nothing/is/here/"
    customer_type = ContentType.objects.get_for_model(Customer).pk
    key = str(_key_of(route))
    for place, value in (
        ("<path:content_type_id>", str(customer_type)),
        ("<path:object_id>", key),
        ("<int:pk>", key),
        ("<id>", key),
    ):
        route = route.replace(place, value)
    return route


def _key_of(route: str) -> Any:
    """The first row's of the table that the address is about; 1 of one that is empty."""
    label, model = (*route.split("/"), "", "")[1:3]
    if label == "r":
        return Customer.objects.values_list("pk", flat=True).first() or 1
    try:
        table = apps.get_model(label, model)
    except LookupError:
        return 1
    return table._default_manager.order_by("pk").values_list("pk", flat=True).first() or 1
