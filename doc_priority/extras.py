"""The packages that the optional parts need, and what to install if one is missing."""

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec

REQUIREMENT = re.compile(
    r"""(?P<requirement>(?P<name>[\w.-]+)(\[[^]]*\])?[^;]*>=\s*(?P<lowest>[\d.]+)[^;]*?)\s*;"""
    r"""\s*extra\s*==\s*["'](?P<extra>[^"']+)["']"""
)
"""A line of the package's metadata, such as `celery>=5.6; extra == 'celery'`."""


def require(extra: str, *modules: str) -> None:
    """Raise ImportError that says what to install if a module is missing or a package too old."""
    for module in modules:
        if find_spec(module) is None:
            raise ModuleNotFoundError(
                f"{module} is not installed, and this part of doc_priority needs it: "
                f"pip install 'django-doc-priority[{extra}]'",
                name=module,
            )
    for requirement, name, lowest in lower_bounds(extra):
        installed = _installed(name)
        if installed and _release(installed.version) < _release(lowest):
            raise ImportError(
                f"{name} {installed.version} is installed, and this part of doc_priority needs "
                f"{lowest} or newer: pip install '{requirement}'",
                name=name,
            )


def lower_bounds(extra: str) -> Iterator[tuple[str, str, str]]:
    """For each requirement of the extra: its text, the library and the lowest version."""
    ours = _installed("django-doc-priority")
    for line in (ours and ours.requires) or ():
        found = REQUIREMENT.match(line)
        if found and found["extra"] == extra:
            yield found["requirement"], found["name"], found["lowest"]


def _installed(name: str) -> Distribution | None:
    """The first on Python's path; None if the code was copied and not installed."""
    return next(iter(distributions(name=name)), None)


def _release(version: str) -> list[int]:
    """The numbers of a version without trailing zeros: 5 and 6 for `5.6.0rc1`."""
    numbers = re.split(r"[^\d.]", version, maxsplit=1)[0]
    return [int(number) for number in re.sub(r"(\.0*)+$", "", numbers).split(".") if number]
