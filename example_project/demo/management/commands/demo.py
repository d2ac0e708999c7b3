"""Run the portal with traffic and a worker until Ctrl-C."""

import os
from argparse import ArgumentParser
from threading import Event, Thread
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.core.servers.basehttp import ThreadedWSGIServer

from example_project import storage
from example_project.demo import database
from example_project.demo.attended import SECONDS_TO_STOP
from example_project.demo.filling import fill
from example_project.demo.people import PASSWORD
from example_project.demo.site import HOST, open_site, port_from, serve
from example_project.demo.stopping import stop_request
from example_project.demo.traffic import drop_until
from example_project.demo.worker import attend
from example_project.portal.engines import EngineError, QueueDown, current
from example_project.portal.requeueing import queue_all_that_waits

READY = """
The portal is ready.

  Portal     {address}
  Admin      {address}admin/
  REST       {address}api/v1/docs/ (sign in to the portal first)

  Sign in as
    admin    sees everything; drops documents of any client
    support  sees everything; corrects priorities
    viewer   sees everything and changes nothing
    client   drops documents of one client and sees only those
  Password   {password} (for each of them)

A token for a REST client of one of them:
  curl -X POST -u support:{password} {address}api/token/

Documents come in all the time, and a worker processes them in the order of
their priority: {address}queue/
The worker is {engine}; what it says is in
{log}

Ctrl-C stops it all. The data stays; make demo-fresh starts with new data.
"""


class Command(BaseCommand):
    help = "Run the example portal with live traffic and a worker until Ctrl-C."
    # Checks may open the database, which is not there yet or to be removed.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--fresh", action="store_true", help="Remove the data of earlier starts first."
        )

    def handle(self, *, fresh: bool, **options: Any) -> None:
        port = port_from(os.environ)
        try:
            current().require()
            with open_site(port) as site:
                self.prepare(fresh=fresh)
                self.run(site)
        except EngineError as error:
            raise CommandError(str(error)) from error
        except QueueDown as error:
            raise CommandError(f"The queue stopped answering: {error}. Start again.") from error

    def prepare(self, *, fresh: bool) -> None:
        if fresh:
            database.start_anew()
        self.say("Preparing the database …")
        database.migrate()
        self.check()
        fill(say=self.say)
        queue_all_that_waits()

    def run(self, site: ThreadedWSGIServer) -> None:
        self.say_ready(f"http://{HOST}:{site.server_port}/")
        stop = Event()
        serving = Thread(target=serve, args=(site,), daemon=True)
        threads = [
            serving,
            Thread(target=attend, args=(stop,), daemon=True),
            Thread(target=drop_until, args=(stop,), daemon=True),
        ]
        try:
            for thread in threads:
                thread.start()
            while True:
                stop_request.obey()
                stop.wait(timeout=0.2)
        finally:
            stop.set()
            if serving.is_alive():
                site.shutdown()
            for thread in threads:
                thread.join(timeout=SECONDS_TO_STOP + 1)

    def say_ready(self, address: str) -> None:
        """What comes from now on waits until the site is served, in a moment."""
        engine, log = current().name, storage.WORKER_LOG
        self.say(READY.format(address=address, password=PASSWORD, engine=engine, log=log))

    def say(self, text: str) -> None:
        stop_request.obey()
        self.stdout.write(text)
        self.stdout.flush()
