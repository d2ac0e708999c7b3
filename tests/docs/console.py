"""What a console block says: commands, and what they are expected to print."""

import re
from dataclasses import dataclass

from tests.docs.reading import Block, Page

ANYTHING = "…"


@dataclass(frozen=True)
class Command:
    text: str
    output: str
    """Empty: it may print what it likes."""
    line: int


def commands(page: Page, block: Block) -> list[Command]:
    """Lines after `$ ` up to the next one are output, but for those that a `\\` continues."""
    found: list[Command] = []
    lines = iter(enumerate(block.text.splitlines(), start=block.line + 1))
    for number, line in lines:
        if line.startswith("$ "):
            text = line.removeprefix("$ ")
            while text.endswith("\\"):
                text += "\n" + next(lines, (0, ""))[1]
            found.append(Command(text, "", number))
        elif found:
            last = found[-1]
            found[-1] = Command(last.text, f"{last.output}{line}\n", last.line)
        else:
            raise page.error(number, "A console block begins with a command after '$ '")
    if not found:
        raise page.error(block.line, "A console block without a command")
    return found


def says(output: str, expected: str) -> bool:
    """Whether this was printed, `…` standing for anything; space at the ends does not count."""
    return re.fullmatch(pattern(expected), tidy(output)) is not None


def said_already(output: str, expected: str) -> bool:
    """The same of something that is still printing."""
    return re.search(pattern(expected), tidy(output)) is not None


def pattern(expected: str) -> str:
    """A line of nothing but `…` may be no line at all."""
    escaped = re.escape(tidy(expected))
    lines = re.sub(rf"(?m)^{ANYTHING}(\\\n|\n|\Z)", r"(?s:.*)", escaped)
    return lines.replace(ANYTHING, "(?s:.*)")


def tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
