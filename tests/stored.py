"""All that is kept, to be compared before and after."""

from typing import Any

from django.apps import apps


def everything_stored(*labels: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of these apps; of ours alone where none is named."""
    models = [
        model
        for label in labels or ("doc_priority",)
        for model in apps.get_app_config(label).get_models(include_auto_created=bool(labels))
    ]
    return {
        model.__name__: list(model._default_manager.order_by("pk").values_list())
        for model in models
    }
