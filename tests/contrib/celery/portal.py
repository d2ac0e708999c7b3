"""A portal's Celery module; its worker, another process, makes the same app of the same terms.

A task writes one line when it begins, into the file that the terms name.
"""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

from celery import Celery

from doc_priority.contrib.celery import prioritize

VARIABLE = "DOC_PRIORITY_TEST_PORTAL"


@dataclass(frozen=True)
class Terms:
    broker: str
    queue: str
    folder: str
    prioritized: bool = True
    conf: dict[str, Any] = field(default_factory=dict)
    namespace: str = ""
    """Before the names in the settings that `conf` is read from; without one it is put in."""

    @property
    def lines(self) -> Path:
        return Path(self.folder, "lines")

    @property
    def gate(self) -> Path:
        """As long as it is not there, a task that is to wait does."""
        return Path(self.folder, "gate")

    def environment(self) -> dict[str, str]:
        return {"CELERY_SKIP_CHECKS": "1", VARIABLE: json.dumps(asdict(self))}

    def begun(self, count: int = 0) -> list[dict[str, Any]]:
        """The lines of all tasks that have begun so far, once there are so many; else nothing."""
        text = self.lines.read_text() if self.lines.exists() else ""
        found = [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
        return found if len(found) >= count else []


def make(terms: Terms) -> Celery:
    app = Celery(terms.queue, set_as_current=False, broker=terms.broker)
    conf = {"worker_enable_remote_control": False, **terms.conf, "task_default_queue": terms.queue}
    if terms.namespace:
        names = {f"{terms.namespace}_{name.upper()}": value for name, value in conf.items()}
        app.config_from_object(SimpleNamespace(**names), namespace=terms.namespace)
    else:
        app.conf.update(conf)
    if terms.prioritized:
        for name in ("portal.process", "portal.retried", "portal.named"):
            prioritize(app, name, customer="customer", document="document")
        prioritize(app, "portal.uncounted", customer="customer")
    define_tasks(app, terms)
    return app


def write(terms: Terms, task: Any, document: str) -> None:
    line = {
        "document": document,
        "id": task.request.id,
        "told": getattr(task.request, "doc_priority", None),
        "priority": task.request.delivery_info["priority"],
        "retries": task.request.retries,
        "process": os.getpid(),
    }
    with terms.lines.open("a") as file:
        file.write(json.dumps(line) + "\n")


def define_tasks(app: Celery, terms: Terms) -> None:
    @app.task(name="portal.process", bind=True, shared=False)
    def process(self: Any, customer: str, document: str, waits: bool = False) -> str:
        write(terms, self, document)
        while waits and not terms.gate.exists():
            Event().wait(0.01)
        return document

    @app.task(name="portal.uncounted", bind=True, shared=False)
    def uncounted(self: Any, customer: str) -> None:
        write(terms, self, "")

    @app.task(name="portal.retried", bind=True, shared=False)
    def retried(self: Any, customer: str, document: str) -> None:
        write(terms, self, document)
        if self.request.retries < 2:
            raise self.retry(countdown=0)

    @app.task(name="portal.next", bind=True, shared=False)
    def following(self: Any, result: Any) -> Any:
        write(terms, self, str(result))
        return result

    @app.task(name="portal.named", bind=True, shared=False)
    def named(self: Any, result: Any, customer: str, document: str) -> None:
        write(terms, self, document)


if VARIABLE in os.environ:  # in a worker's process, or a publisher's
    app = make(Terms(**json.loads(os.environ[VARIABLE])))
