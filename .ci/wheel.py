"""Try the built wheel where nothing else is installed, then type the tutorial with it.

    python3.13 .ci/wheel.py dist

takes the wheel in the folder `dist`, and whatever pip's index has for this interpreter.
"""

import os
import re
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

TUTORIAL = Path(__file__).parents[1] / "docs" / "tutorial.md"
OURS = ("COVERAGE", "DATABASE", "DJANGO", "PYTHON", "VIRTUAL_ENV")
"""With these begin the variables that a reader does not have."""

EXTRAS = {
    "api": "doc_priority.api.urls",
    "celery": "doc_priority.contrib.celery",
    "opentelemetry": "doc_priority.contrib.opentelemetry.apps",
    "procrastinate": "doc_priority.contrib.procrastinate",
    "prometheus": "doc_priority.contrib.prometheus.urls",
    "tasks": "doc_priority.contrib.tasks",
}
"""What each is for."""

SETTINGS = """
INSTALLED_APPS.append("doc_priority")
MIDDLEWARE.insert(2, "django.middleware.locale.LocaleMiddleware")
"""
ALONE = """
import sys
from importlib import import_module
from pathlib import Path

import doc_priority
from django.contrib.auth.models import User
from django.test import Client
from doc_priority.services import check

assert Path(doc_priority.__file__).is_relative_to(sys.prefix), doc_priority.__file__
assert [check("acme", document="INV-1").pending_documents for _ in range(2)] == [0, 0]

browser = Client(headers={"host": "localhost", "accept-language": "de"})
browser.force_login(User.objects.create_superuser("support"))
for page in ("customer/", "customer/1/change/", "customer/dashboard/", "policy/add/", "event/"):
    assert browser.get(f"/admin/doc_priority/{page}").status_code == 200, page
assert "Kunden" in browser.get("/admin/doc_priority/customer/").content.decode()

for extra, part in EXTRAS.items():
    try:
        import_module(part)
    except ModuleNotFoundError as error:
        assert f"pip install 'django-doc-priority[{extra}]'" in str(error), error
    else:
        raise AssertionError(f"{part} was imported without its extra")
"""
SIGNED_IN = """
from django.test import Client
from doc_priority.models import Customer

browser = Client(headers={"host": "localhost"})
assert browser.login(username="you", password="tutorial")
address = f"/admin/doc_priority/customer/{Customer.objects.get(key='acme').pk}/change/"
assert "moved acme from priority 1 to 9" in browser.get(address).content.decode()
"""


class Terminal:
    """A shell in a folder, for which nothing of this checkout is there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "background.log"
        self.running: list[subprocess.Popen[bytes]] = []
        self.variables = {
            name: os.environ[name] for name in os.environ if not name.startswith(OURS)
        }
        self.variables["PATH"] = f"{folder}/.venv/bin:{self.variables['PATH']}"

    def run(self, command: str, text: str = "") -> str:
        print(f"$ {command}", flush=True)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.variables,
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}"
        return done.stdout

    def start(self, command: str) -> None:
        print(f"$ {command}    # beside the others", flush=True)
        command = command.rpartition("&& ")[2]
        variables = {**self.variables, "PYTHONUNBUFFERED": "1"}
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                command.split(), cwd=self.folder, env=variables, stdout=log, stderr=log
            )
        self.running.append(process)

    def append(self, path: str, text: str) -> None:
        with (self.folder / path).open("a", encoding="utf-8") as file:
            file.write(f"\n{text}")


def try_alone(terminal: Terminal, wheel: Path) -> None:
    """With Django and nothing else: no extra, no gettext."""
    terminal.run(f"{sys.executable} -m venv .venv && pip install --quiet {wheel}")
    packages = set(terminal.run("pip list --format=freeze | sed 's/==.*//'").lower().split())
    brought_along = {"asgiref", "django", "django-doc-priority", "sqlparse"}
    assert packages - {"pip", "setuptools", "tzdata"} == brought_along, packages
    terminal.run("mkdir alone && django-admin startproject portal alone")
    terminal.append("alone/portal/settings.py", SETTINGS)
    terminal.run("python alone/manage.py check --fail-level WARNING")
    terminal.run("python alone/manage.py migrate --verbosity 0")
    terminal.run("python alone/manage.py makemigrations --check --dry-run")
    terminal.run("python alone/manage.py doc_priority doctor")
    terminal.run("python alone/manage.py findstatic doc_priority/live.js doc_priority/admin.css")
    terminal.run("python alone/manage.py shell --verbosity 0", f"EXTRAS = {EXTRAS}\n{ALONE}")


def try_extras(terminal: Terminal, wheel: Path) -> None:
    for extra, part in EXTRAS.items():
        terminal.run(f"pip install --quiet '{wheel}[{extra}]'")
        terminal.run(f"python alone/manage.py shell --verbosity 0 --command 'import {part}'")
    terminal.run("pip check")


def type_tutorial(terminal: Terminal) -> None:
    for block in re.finditer(r"(?ms)^```(\w+)\n(.*?)^```$", TUTORIAL.read_text("utf-8")):
        language, text = block.groups()
        if language == "python":
            terminal.append(re.match(r"# (\S+)", text)[1], text)
        if language == "console":
            for command, expected in re.findall(r"(?m)^\$ ((?:.*\\\n)*.*)\n((?:[^$].*\n)*)", text):
                type_command(terminal, command.replace("python3 ", f"{sys.executable} "), expected)

    before = terminal.log.read_text().partition("birch-1 is done")[0]
    assert "acme-1 is done" in before, before
    assert before.count("is done") < 100, before
    terminal.run("python manage.py shell --verbosity 0", SIGNED_IN)


def type_command(terminal: Terminal, command: str, expected: str) -> None:
    if command.endswith("runserver"):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        terminal.start(f"{command} --noreload {port}")
        wait_for(f"http://127.0.0.1:{port}/admin/login/")
    elif " db_worker " in command:
        terminal.start(command)
    else:
        said = re.sub(r"(?m) +$", "", terminal.run(command))
        # `…` stands for anything, on a line of its own for any lines.
        pattern = re.escape(expected.strip()).replace("…\\\n", "…").replace("…", "(?s:.*)")
        assert re.search(pattern, said), f"{command} should print\n{expected}\nand printed\n{said}"


def wait_for(address: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with suppress(OSError), urlopen(address, timeout=30):  # noqa: S310 - our own address
            return
        time.sleep(0.2)
    raise AssertionError(f"{address} does not answer")


def main() -> None:
    (wheel,) = Path(sys.argv[1]).resolve().glob("django_doc_priority-*.whl")
    with TemporaryDirectory(prefix="wheel-") as folder:
        terminal = Terminal(Path(folder))
        try:
            try_alone(terminal, wheel)
            type_tutorial(terminal)
            try_extras(terminal, wheel)
        finally:
            for process in terminal.running:
                process.terminate()
                process.wait(timeout=30)
    print(f"{wheel.name} works.")


if __name__ == "__main__":
    main()
