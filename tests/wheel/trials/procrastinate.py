"""The extra `procrastinate`: jobs in a PostgreSQL database, deferred and worked off."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg

from tests.servers import SERVERS
from tests.settings import database
from tests.wheel.portal import Portal

SETTINGS = """
DATABASES = {{"default": {database!r}}}
INSTALLED_APPS[:0] = ["procrastinate.contrib.django"]
INSTALLED_APPS.append("doc_priority.contrib.procrastinate")
PROCRASTINATE_IMPORT_PATHS = ["portal.tasks"]
"""

TASKS = """
from procrastinate.contrib.django import app

from doc_priority.contrib.procrastinate import prioritize


@app.task
def process(customer, document):
    return document


prioritize(app, "portal.tasks.process", customer="customer", document="document")
"""

DEFERRING = """
from portal.tasks import process
from procrastinate.contrib.django.models import ProcrastinateJob

assert process.defer(customer="acme", document="1") == process.defer(customer="acme", document="1")
for document in range(2, 5):
    process.defer(customer="acme", document=str(document))
jobs = ProcrastinateJob.objects.order_by("id")
assert [job.priority for job in jobs] == [-1, -1, -1, -2], [job.priority for job in jobs]
"""

AFTERWARDS = """
from procrastinate.contrib.django.models import ProcrastinateJob

assert {job.status for job in ProcrastinateJob.objects.all()} == {"succeeded"}
"""


def try_it(portal: Portal) -> None:
    portal.environment.install("psycopg[binary]")
    with database_of_its_own() as name:
        portal.add_settings(SETTINGS.format(database={**database(server_url()), "NAME": name}))
        portal.write("tasks.py", TASKS)
        portal.manage("check")
        portal.manage("migrate", "--verbosity", "0")
        portal.shell(DEFERRING)
        portal.manage("procrastinate", "worker", "--one-shot")
        portal.shell(AFTERWARDS)


@contextmanager
def database_of_its_own() -> Iterator[str]:
    name = f"wheel_{uuid4().hex}"
    with psycopg.connect(server_url(), autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
        try:
            yield name
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def server_url() -> str:
    (postgresql,) = (server for server in SERVERS if server.name == "PostgreSQL")
    return postgresql.url
