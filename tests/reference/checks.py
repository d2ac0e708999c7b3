"""docs/reference/checks.md: what each system check says, what helps, and when it runs."""

from collections.abc import Iterable
from functools import cache, partial
from itertools import groupby
from operator import attrgetter

from tests.reference.markdown import prose_of, sections
from tests.reference.messages import Message, messages

OF_FUNCTIONS = {
    "check_connections": "databases",
    "check_databases": "databases",
    "check_query_caches": "databases",
    "check_throttle_rates": "rest",
}
"""What a message is about, by the function that Django calls; of others their module says it."""

OF_MODULES = {
    "doc_priority.checks": "settings",
    "doc_priority.contrib.celery": "celery",
    "doc_priority.contrib.procrastinate": "procrastinate",
    "doc_priority.contrib.prometheus": "prometheus",
    "doc_priority.contrib.tasks": "tasks",
}
SUBJECTS = list(dict.fromkeys([*OF_MODULES.values(), *OF_FUNCTIONS.values()]))

WHEN = {
    "check_broker": "With `manage.py check --deploy`, which asks the broker.",
    "check_connections": "With `manage.py check --deploy`, and in `doctor`.",
    "check_databases": "Where the database is asked: `manage.py migrate`, "
    "`manage.py check --database default`; from Django 6.1 on also with `--tag doc_priority`.",
}
ALWAYS = "With every `manage.py check`."


@cache
def by_id() -> dict[str, list[Message]]:
    found = sorted(messages(), key=attrgetter("id"))
    return {id_: list(same) for id_, same in groupby(found, key=attrgetter("id"))}


def number(id_: str) -> str:
    return id_.rpartition(".")[2]


def subject(message: Message) -> str:
    of_function = OF_FUNCTIONS.get(_outermost(message))
    return of_function or next(
        about for module, about in OF_MODULES.items() if message.module.startswith(module)
    )


def _outermost(message: Message) -> str:
    return message.functions[-1].rpartition(".")[2]


def _about(what: str) -> str:
    found = (same for same in by_id().values() if subject(same[0]) == what)
    return sections(*map(_described, found)) or "None."


def _described(same: list[Message]) -> str:
    texts = _once(one.text for one in same)
    hints = _once(one.hint for one in same)
    runs = _once(WHEN.get(_outermost(one), ALWAYS) for one in same)
    return sections(
        f"### {number(same[0].id)}",
        "\n>\n".join(f"> {prose_of(text)}" for text in texts),
        f"**What to do:** {' Or: '.join(map(prose_of, hints))}",
        f"**When it runs:** {' '.join(runs)}",
    )


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


PARTS = {what: partial(_about, what) for what in SUBJECTS}
