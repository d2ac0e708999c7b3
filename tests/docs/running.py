"""Run the blocks of a page, one after the other, as what they are."""

import ast
import json
import runpy
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import CO_COROUTINE
from pathlib import Path
from types import CodeType, ModuleType

import yaml
from asgiref.sync import async_to_sync
from django.template import engines

from tests.docs.console import commands, says
from tests.docs.project import SECONDS, Project
from tests.docs.reading import Block, Page

SECONDS_OF_A_PAGE = 200

NOT_RUN = (126, 127, -signal.SIGKILL)
"""No command at all, or one that was stopped, is not the failure a page means."""

LAST_COMMAND = "[ ! -e manage.py ] || python manage.py check"
"""So that a file which no command of the page uses is not just written."""

IN_A_PROJECT = ("append", "file")
PARSED: dict[str, Callable[[str], object]] = {
    "html": lambda text: engines["django"].from_string(text),
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": lambda text: list(yaml.safe_load_all(text)),
}
FREE = ("text",)
"""Languages in which nothing can be wrong."""

REMEDY = (
    "cannot be run. Known are python, console, text and {parsed}; any other needs "
    "<!-- file: its/path --> or, where it cannot run, <!-- shown: why --> before it"
)


def needs_project(page: Page) -> bool:
    return any(of_project(block) for block in page.blocks)


def of_project(block: Block) -> bool:
    return not is_shown(block) and (block.language == "console" or is_file(block))


def is_file(block: Block) -> bool:
    return any(name in block.marks for name in IN_A_PROJECT)


def is_shown(block: Block) -> bool:
    return "shown" in block.marks


def serves(page: Page) -> bool:
    return any("background" in block.marks for block in page.blocks)


def run(page: Page, blocks: list[Block], project: Project | None, given: Path) -> None:
    """Those of its blocks that no other test runs."""
    until = time.monotonic() + SECONDS_OF_A_PAGE
    with namespace(given, project) as module:
        for block in blocks:
            if is_shown(block):
                continue
            if project is not None and of_project(block):
                run_in_project(page, block, project, until)
            else:
                run_here(page, block, module)
    if project is not None:
        finish(page, project)


def finish(page: Page, project: Project) -> None:
    """What ran in the background did so to the end, and Django can use all that was written."""
    for failed in project.stop():
        raise page.error(1, f"{failed.text!r} has failed:\n{failed.said()}")
    if (done := project.run(LAST_COMMAND)).code:
        raise page.error(1, f"{LAST_COMMAND!r} ended with {done.code}:\n{done.output}")


@contextmanager
def namespace(given: Path, project: Project | None) -> Iterator[ModuleType]:
    """The module in which a page's Python runs; what it takes for granted is there already."""
    names = runpy.run_path(str(given)) if given.exists() else {}
    if "prepare" in names:
        names |= names["prepare"]()
    if "portal" in names:
        names.pop("portal")(project)
    module = ModuleType(f"page_{given.stem}")
    module.__dict__.update({name: names[name] for name in names if not name.startswith("__")})
    sys.modules[module.__name__] = module
    try:
        yield module
    finally:
        del sys.modules[module.__name__]
        # Receivers of signals and the like are let go.
        module.__dict__.clear()


def run_here(page: Page, block: Block, module: ModuleType) -> None:
    if block.language == "python":
        run_python(page, block, module)
    elif block.language in PARSED:
        parse(page, block)
    elif block.language not in FREE:
        remedy = REMEDY.format(parsed=", ".join(PARSED))
        raise page.error(block.line, f"A block in {block.language or 'no language'} {remedy}")


def parse(page: Page, block: Block) -> None:
    try:
        PARSED[block.language](block.text)
    except Exception as error:
        raise page.error(block.line, f"Not {block.language}: {error}") from error


def run_python(page: Page, block: Block, module: ModuleType) -> None:
    before = set(vars(module))
    try:
        execute(compiled(page, block), module)
    except Exception as error:
        name = type(error).__name__
        raise page.error(line_of(page, error, block), f"{name}: {error}") from error
    for name in set(vars(module)) - before:
        if name.startswith("test_"):
            raise page.error(block.line, f"Nothing calls {name}: write a file and run pytest")


def compiled(page: Page, block: Block) -> CodeType:
    """With the page's own line numbers; `await` may stand at the top."""
    source = "\n" * block.line + block.text
    return compile(source, str(page.path), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def execute(code: CodeType, module: ModuleType) -> None:
    if code.co_flags & CO_COROUTINE:
        async_to_sync(awaited)(code, module)
    else:
        exec(code, vars(module))  # noqa: S102


async def awaited(code: CodeType, module: ModuleType) -> None:
    await eval(code, vars(module))  # noqa: S307


def line_of(page: Page, error: Exception, block: Block) -> int:
    line, traceback = block.line, error.__traceback__
    while traceback:
        if traceback.tb_frame.f_code.co_filename == str(page.path):
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def run_in_project(page: Page, block: Block, project: Project, until: float) -> None:
    if is_file(block):
        write(page, block, project)
    elif "background" in block.marks:
        start(page, block, project)
    else:
        run_commands(page, block, project, until)


def write(page: Page, block: Block, project: Project) -> None:
    try:
        if "append" in block.marks:
            path = project.append(block.marks["append"], block.text)
        else:
            path = project.write(block.marks["file"], block.text)
        if path.suffix == ".py":
            compile(path.read_text(encoding="utf-8"), str(path), "exec")
    except (OSError, SyntaxError, ValueError) as error:
        raise page.error(block.line, str(error)) from error


def start(page: Page, block: Block, project: Project) -> None:
    found = commands(page, block)
    if len(found) != 1:
        raise page.error(block.line, "One command at a time runs in the background")
    try:
        project.start_in_background(found[0].text, found[0].output)
    except AssertionError as error:
        raise page.error(found[0].line, str(error)) from error


def run_commands(page: Page, block: Block, project: Project, until: float) -> None:
    for command in commands(page, block):
        left = until - time.monotonic()
        done = project.run(command.text, seconds=max(0.1, min(SECONDS, left)))
        failed = done.code != 0
        if failed != ("fails" in block.marks) or done.code in NOT_RUN:
            told = f"{command.text!r} ended with {done.code}:\n{done.output}"
            raise page.error(command.line, told)
        expected = project.placed(command.output)
        if expected.strip() and not says(done.output, expected):
            told = f"{command.text!r} should print\n{expected}\nand printed\n{done.output}"
            raise page.error(command.line, told)
