"""docs/reference/commands.md: what each command takes, as its parser has it."""

import argparse
from argparse import SUPPRESS, Action, ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from django.core.management.base import BaseCommand

from doc_priority.contrib.tasks.management.commands import put_back_tasks
from doc_priority.management.arguments import operating_system_user
from doc_priority.management.commands import doc_priority
from tests.reference.markdown import code, fenced, prose, sections, table

OF_DJANGO = frozenset(
    action.dest for action in BaseCommand().create_parser("manage.py", "any")._actions
)
"""What every command takes."""

WIDTH = 88


def subcommands() -> dict[str, ArgumentParser]:
    parser = doc_priority.Command().create_parser("manage.py", "doc_priority")
    (choices,) = (
        action.choices
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return dict(choices)


def _overview() -> str:
    return table(
        ["subcommand", "does"],
        (
            [f"[{code(name)}](#{name})", prose(str(parser.description))]
            for name, parser in subcommands().items()
        ),
    )


def _subcommand(name: str) -> str:
    return _described(f"manage.py doc_priority {name}", subcommands()[name])


def _put_back_tasks() -> str:
    parser = put_back_tasks.Command().create_parser("manage.py", "put_back_tasks")
    return _described("manage.py put_back_tasks", parser)


def _described(name: str, parser: ArgumentParser) -> str:
    return sections(
        prose(str(parser.description)),
        fenced(_wrapped([name, *_usage(parser)])),
        table(["argument", "is"], ([_shown(one), _help(parser, one)] for one in actions(parser))),
    )


def actions(parser: ArgumentParser) -> list[Action]:
    """What the command itself takes, and not every one."""
    return [
        action
        for action in parser._actions
        if action.help != SUPPRESS and action.dest not in OF_DJANGO
    ]


def _usage(parser: ArgumentParser) -> Iterator[str]:
    """Not argparse's own, which looks different from version to version of Python."""
    groups = [group._group_actions for group in parser._mutually_exclusive_groups]
    for action in actions(parser):
        group = next((one for one in groups if action in one), [action])
        if action is group[0]:
            either = " | ".join(map(_written, group))
            yield f"({either})" if len(group) > 1 else _optional(action, either)


def _wrapped(words: list[str]) -> str:
    """In lines that need no scrolling; nothing is parted that belongs together."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) < WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(f"    {word}")
    return "\n".join(lines)


def _optional(action: Action, written: str) -> str:
    return written if action.required else f"[{written}]"


def _written(action: Action) -> str:
    if action.option_strings:
        return f"{action.option_strings[-1]} {_value(action)}".strip()
    return f"{_value(action)} …" if action.nargs == "+" else _value(action)


def _value(action: Action) -> str:
    if action.nargs == 0:
        return ""
    if action.choices is not None:
        return f"{{{','.join(map(str, action.choices))}}}"
    return str(action.metavar or action.dest.upper())


def _shown(action: Action) -> str:
    return code(_written(action))


def _help(parser: ArgumentParser, action: Action) -> str:
    """As the terminal shows it, but for what differs from host to host."""
    told = str(action.help)
    if action.default == operating_system_user():
        told = told.replace(", %(default)s", "")
    required = " Required." if action.option_strings and action.required else ""
    return prose(told % {**vars(action), "prog": parser.prog}) + required


PARTS: Mapping[str, Callable[[], str]] = {
    "overview": _overview,
    **{name: partial(_subcommand, name) for name in doc_priority.SUBCOMMANDS},
    "put-back-tasks": _put_back_tasks,
}
