"""Run the portal with traffic and a worker until Ctrl-C."""

import os
import sqlite3
from argparse import ArgumentParser
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from typing import Any

from django.apps import apps
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.db import DatabaseError
from django.db.migrations.exceptions import InconsistentMigrationHistory

from example_project import storage
from example_project.demo.data import PASSWORD, fill
from example_project.demo.traffic import submit_until
from example_project.demo.worker import SECONDS_TO_STOP, attend, listen, obey
from example_project.portal.engines import QueueDown, current
from example_project.portal.services import queue_all_that_waits

READY = """
The portal is ready.

  Portal     {address}
  Admin      {address}admin/
  REST       {address}api/v1/docs/ (sign in to the portal first)

  Sign in as
    admin    sees everything; submits documents for any customer
    support  sees everything; corrects priorities
    viewer   sees everything and changes nothing
    client   submits documents for one customer and sees only those
  Password   {password} (for each of them)

A token for a REST client of one of them:
  curl -X POST -u support:{password} {address}api/token/

Documents come in all the time. A worker ({engine}) takes them
by priority: {address}queue/
What it says is in {log}

Ctrl-C stops it all. The data stays; make demo-fresh starts with new data.
"""


class Command(BaseCommand):
    help = "Run the example portal with live traffic and a worker until Ctrl-C."
    # Checks may open the database, which is not there yet or to be removed.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--fresh", action="store_true", help="Remove earlier data first.")

    def handle(self, *, fresh: bool, **options: Any) -> None:
        listen()
        try:
            current().require()
            with open_site() as site:
                if fresh:
                    remove_data()
                self.say("Preparing the database …")
                migrate()
                self.check()
                fill(say=self.say)
                queue_all_that_waits()
                self.run(site)
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
        except QueueDown as error:
            raise CommandError(f"The queue stopped answering: {error}. Start again.") from error

    def run(self, site: ThreadedWSGIServer) -> None:
        address = f"http://127.0.0.1:{site.server_port}/"
        engine, log = current().name, storage.WORKER_LOG
        self.say(READY.format(address=address, password=PASSWORD, engine=engine, log=log))
        site.set_app(StaticFilesHandler(get_wsgi_application()))
        stop = Event()
        serving = Thread(target=site.serve_forever, args=(0.1,), daemon=True)
        submitting = Thread(target=submit_until, args=(stop,), daemon=True)
        serving.start()
        submitting.start()
        try:
            attend()
        finally:
            stop.set()
            site.shutdown()
            submitting.join(timeout=SECONDS_TO_STOP)

    def say(self, text: str) -> None:
        obey()
        self.stdout.write(text)
        self.stdout.flush()


def open_site() -> ThreadedWSGIServer:
    """Take the port that PORT names, 0 for any that is free; requests wait until it is served."""
    port = os.environ.get("PORT") or "8000"
    try:
        return ThreadedWSGIServer(("127.0.0.1", int(port)), WSGIRequestHandler)
    except (OSError, ValueError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "It is no number up to 65535"
        raise CommandError(
            f"Port {port} cannot be used: {reason}. "
            "Choose another one; 0 is any that is free: PORT=0 make demo"
        ) from error


def remove_data() -> None:
    """Remove the database and the two files SQLite keeps beside it, unless a demo runs on it."""
    database = storage.DATABASE
    try:
        with closing(sqlite3.connect(database, timeout=0)) as connection:
            # SQLite leaves WAL for another mode only when nobody else has the file open.
            connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        raise CommandError(
            f"Another demo uses {database}. Stop it first: Ctrl-C in its terminal."
        ) from error
    except sqlite3.DatabaseError:
        pass  # It is no database, and is removed all the same.
    for ending in ("", "-wal", "-shm"):
        Path(f"{database}{ending}").unlink(missing_ok=True)


def migrate() -> None:
    """Create the tables, and make sure that those of an earlier start are today's."""
    try:
        call_command("migrate", verbosity=0, interactive=False)
        for model in apps.get_models():
            model._base_manager.order_by().first()
    except (DatabaseError, InconsistentMigrationHistory) as error:
        raise CommandError(
            f"The data in {storage.DATABASE} cannot be used ({error}). "
            "Another version wrote it, perhaps. Start anew: make demo-fresh"
        ) from error
