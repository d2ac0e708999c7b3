"""What the optional parts need, and how one gets it."""

from importlib.util import find_spec


def require(extra: str, *modules: str) -> None:
    """Say which extra to install, where one of the modules it brings is missing."""
    for module in modules:
        if find_spec(module) is None:
            raise ModuleNotFoundError(
                f"{module} is not installed, and this part of doc_priority needs it: "
                f"pip install 'django-doc-priority[{extra}]'",
                name=module,
            )
