"""docs/reference/services.md: every service as it is called, and what it answers."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import FunctionType
from typing import Any

from doc_priority import services
from doc_priority.types import Decision
from tests.reference.markdown import anchor, code, fenced, prose_of, sections, table
from tests.reference.source import call, paragraphs, signature, texts_below, types_of

MODULES = {
    "counting": ("checking", "bulk"),
    "correcting": ("correcting",),
    "customers": ("customers",),
    "policies": ("policies",),
}


def all_services() -> dict[str, Callable[..., Any]]:
    """Those that are called and not awaited, by name."""
    public = (getattr(services, name) for name in services.__all__)
    written = sorted(filter(inspect.isfunction, public), key=_line)
    return {service.__name__: service for service in written}


def _line(function: FunctionType) -> int:
    """Where it stands in its module, whatever decorates it."""
    return inspect.getsourcelines(inspect.unwrap(function))[1]


def twin(name: str) -> str:
    """The name of the same service for async code."""
    return f"a{name}"


def summary(documented: object) -> str:
    """The first sentence that it promises."""
    return paragraphs(inspect.getdoc(documented))[0]


def _overview() -> str:
    return table(
        ["call", "does"],
        (
            [f"[{code(call(service))}](#{anchor(name)})", prose_of(summary(service))]
            for group in MODULES
            for name, service in _of_group(group)
        ),
    )


def _of_group(group: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in MODULES[group]:
        for name, service in all_services().items():
            if service.__module__ == f"{services.__name__}.{module}":
                yield name, service


def _described(group: str) -> str:
    return sections(*(_service(name, service) for name, service in _of_group(group)))


def _service(name: str, service: Callable[..., Any]) -> str:
    return sections(
        f"### {name}",
        fenced(signature(service)),
        *map(prose_of, paragraphs(inspect.getdoc(service))),
        f"In async code: {code(f'await {twin(name)}(…)')}.",
    )


def _fields() -> str:
    meanings = texts_below(Decision)
    return table(
        ["field", "type", "says"],
        (
            [code(name), code(written), prose_of(meanings[name])]
            for name, written in types_of(Decision).items()
        ),
    )


PARTS: Mapping[str, Callable[[], str]] = {
    "overview": _overview,
    **{group: partial(_described, group) for group in MODULES},
    "decision": _fields,
}
