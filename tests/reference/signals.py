"""docs/reference/signals.md: when each signal is sent, and with what."""

from collections.abc import Iterator
from typing import NamedTuple

from doc_priority import signals
from tests.reference.markdown import prose_of, sections
from tests.reference.source import paragraphs, texts_below

_ARGUMENTS = "Arguments: "


class Told(NamedTuple):
    """What stands below a signal."""

    name: str
    paragraphs: list[str]
    arguments: str


def told() -> Iterator[Told]:
    """Every signal that a portal may listen to, as the module has them."""
    for name, text in texts_below(signals).items():
        if name in signals.__all__:
            *said, arguments = paragraphs(text)
            yield Told(name, said, arguments.removeprefix(_ARGUMENTS))


def _introduction() -> str:
    return sections(*map(prose_of, paragraphs(str(signals.__doc__))))


def _described() -> str:
    return sections(*(_signal(one) for one in told()))


def _signal(one: Told) -> str:
    return sections(
        f"### {one.name}",
        *map(prose_of, one.paragraphs),
        f"Sent with {one.arguments}.",
    )


PARTS = {"introduction": _introduction, "signals": _described}
