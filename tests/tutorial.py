"""Type the tutorial on a machine that has Python and nothing else.

    python -m tests.tutorial --wheel dist --python /usr/bin/python3.13 --django '~=6.1.0'

makes the tutorial's own environment with that interpreter, in which pip finds the wheel in `dist`
and whatever else its index has, types every block, and looks whether the reader sees what is
promised: the one document done while hundreds wait, and the sentence in the admin that says why.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from http.cookiejar import CookieJar
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

from tests.docs import running
from tests.docs.console import commands
from tests.docs.pages import DOCS
from tests.docs.project import Project, Result
from tests.docs.reading import Page, read

TUTORIAL = DOCS / "tutorial.md"
USER = {"username": "you", "password": "tutorial"}
SENTENCE = re.compile(r"499 documents since \d\d:\d\d bring acme from 1 to 9\.")

MINUTES = 10
CHARACTERS_PER_MINUTE = 200
"""Forty words of five characters, as typing is measured."""

SECONDS = 300
"""A package index may be slow."""

OURS = ("COVERAGE", "DATABASE", "DJANGO", "PYTHON", "VIRTUAL_ENV")
"""With these begin the variables of this environment that a reader does not have."""


class Reader(Project):
    """Somebody in front of an empty folder."""

    def __init__(self, folder: Path, *, python: Path, wheel: Path, django: str) -> None:
        self.python = python
        self.wheel = wheel
        self.django = django
        super().__init__(folder, served=True)

    def new_environment(self) -> dict[str, str]:
        """No package is there; pip finds the wheel, and takes the Django it is told to."""
        theirs = {name: os.environ[name] for name in os.environ if not name.startswith(OURS)}
        links = f"{self.wheel.parent} {theirs.get('PIP_FIND_LINKS', '')}".rstrip()
        return theirs | {
            "LC_ALL": "C.UTF-8",
            "PATH": f"{self.programs()}{os.pathsep}{theirs['PATH']}",
            "PIP_CONSTRAINT": str(self.constraints()),
            "PIP_FIND_LINKS": links,
            "PYTHONUNBUFFERED": "1",
            "STATE": str(self.home / ".state"),
        }

    def programs(self) -> Path:
        """Where `python3` is the interpreter that was asked for."""
        folder = self.home / "bin"
        folder.mkdir()
        program = folder / "python3"
        program.write_text(f'#!/bin/sh\nexec "{self.python}" "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        return folder

    def constraints(self) -> Path:
        path = self.home / "constraints.txt"
        version = self.wheel.name.split("-")[1]
        path.write_text(f"django{self.django}\ndjango-doc-priority=={version}\n", encoding="utf-8")
        return path

    def run(self, text: str, *, seconds: float = SECONDS) -> Result:
        return super().run(text, seconds=SECONDS)

    def start(self, how: str, text: str, output: Path) -> "subprocess.Popen[bytes]":
        """As it stands on the page, but for the port."""
        typed = re.sub(r"\brunserver\b", f"runserver {self.port}", self.placed(text))
        with output.open("wb") as file:
            return subprocess.Popen(
                ["bash", "-c", how, "page", typed],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )


def typed(page: Page) -> int:
    """How many characters somebody types; an editor indents by itself."""
    texts = [block.text for block in page.blocks if running.is_file(block)]
    for block in page.blocks:
        if block.language == "console":
            texts += [f"{command.text}\n" for command in commands(page, block)]
    return sum(len(re.sub(r"(?m)^ +", "", text)) for text in texts)


def type_all(page: Page, reader: Reader) -> None:
    for block in page.blocks:
        if running.of_project(block):
            say(f"{page.path.name}:{block.line}")
            running.run_in_project(page, block, reader, time.monotonic() + SECONDS)


def see_what_is_installed(reader: Reader) -> None:
    """The packages are those of the folder, and Django is the one that was asked for."""
    found = reader.run("pip list && python -c 'import doc_priority; print(doc_priority.__file__)'")
    say(found.output)
    require(f"{reader.folder.resolve()}/.venv/" in found.output, "not the wheel's doc_priority")
    release = re.escape(".".join(re.findall(r"\d+", reader.django)[:2]))
    require(re.search(rf"(?im)^django +{release}\b", found.output), f"not Django {reader.django}")


def see_who_is_first(reader: Reader) -> None:
    """In the second terminal the one document stands in front of hundreds."""
    said = reader.running[0].said()
    before = said.partition("birch-1 is done")[0]
    require("birch-1 is done" in said and "acme-1 is done" in before, f"no order in {said}")
    require(before.count("is done") < 100, f"too many were done before: {before}")


def see_why(reader: Reader) -> None:
    """In the admin, signed in as the tutorial says."""
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    address = f"http://127.0.0.1:{reader.port}/admin/doc_priority/customer/"
    token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', opened(browser, address))
    require(token, "nobody is asked to sign in")
    values = urlencode(USER | {"csrfmiddlewaretoken": token and token[1]}).encode()
    customers = opened(
        browser, address.replace("doc_priority", "login/?next=/admin/doc_priority"), values
    )
    link = re.search(r"/admin/doc_priority/customer/\d+/change/", customers)
    require(link and "acme" in customers, "nobody is listed")
    customer = opened(browser, f"http://127.0.0.1:{reader.port}{link and link[0]}")
    require(SENTENCE.search(customer), f"no sentence like {SENTENCE.pattern}")


def opened(browser: OpenerDirector, address: str, values: bytes | None = None) -> str:
    with browser.open(address, values, timeout=30) as answer:
        return str(answer.read().decode())


def require(fact: object, otherwise: str) -> None:
    if not fact:
        sys.exit(f"tests.tutorial: {otherwise}")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def follow(page: Page, reader: Reader) -> None:
    try:
        type_all(page, reader)
        see_what_is_installed(reader)
        see_who_is_first(reader)
        see_why(reader)
    finally:
        failed = reader.stop()
    require(not failed, f"failed meanwhile: {[started.said() for started in failed]}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Type the tutorial where nothing is installed.")
    parser.add_argument("--wheel", type=Path, required=True, help="the folder it lies in")
    parser.add_argument("--python", type=Path, required=True, help="the interpreter")
    parser.add_argument("--django", required=True, help="which one, such as '~=5.2.0'")
    options = parser.parse_args()
    wheels = sorted(options.wheel.resolve().glob("django_doc_priority-*.whl"))
    require(len(wheels) == 1, f"{len(wheels)} wheels of django-doc-priority in {options.wheel}")
    page = read(TUTORIAL)
    minutes = typed(page) / CHARACTERS_PER_MINUTE
    require(minutes < MINUTES, f"{minutes:.1f} minutes of typing are too many")
    with TemporaryDirectory(prefix="tutorial-") as folder:
        reader = Reader(Path(folder), python=options.python, wheel=wheels[0], django=options.django)
        follow(page, reader)
    say(f"The tutorial works: {typed(page)} characters, {minutes:.1f} minutes of typing.")


if __name__ == "__main__":
    main()
