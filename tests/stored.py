"""All the app keeps, to be compared before and after."""

from typing import Any

from django.apps import apps


def everything_stored() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of the app."""
    models = apps.get_app_config("doc_priority").get_models()
    return {
        model.__name__: list(model._default_manager.order_by("pk").values_list())
        for model in models
    }
