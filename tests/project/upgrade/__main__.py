"""Make the dump of the database DATABASE_URL names: `python -m tests.project.upgrade 0.1.0`."""

import argparse
import os
import re
import subprocess
import tempfile
from datetime import timedelta
from pathlib import Path

import django
from django.apps import apps

if not apps.ready:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()

from django.core.management import call_command
from django.db import connection

from doc_priority import services
from doc_priority.models import Counter
from doc_priority.types import FLOOR
from tests.project.upgrade import FAR, THEN, empty_database, path_of
from tests.settings import TEST_NAME


def fill() -> None:
    """Fill an empty database; what the tests of an upgrade expect of it stays in later versions."""
    usual = (-2, -4, -6, -8, -10, -12, -14, -20)
    services.create_policy(
        "gold", reset_interval=600, recovery="halving", thresholds=range(-10, -18, -1)
    )
    services.create_policy("patient", reset_interval=86_400, recovery="window", thresholds=usual)
    services.create_policy("unused", reset_interval=10, recovery="idle", thresholds=usual)
    services.delete_policy("unused", actor="ops", reason="Nobody has it")

    services.create_customer("acme", name="Acme")
    services.create_customer("birch", name="Birch & Söhne “🌲”", policy="gold")
    services.create_customer("cedar", name="O'Cedar 100 %", policy="patient")
    services.create_customer("new", name="Never sent a document")
    for key in ("Dahlia", "dahlia", "a.b_c~d:e@f-9"):
        services.create_customer(key)
    floor = services.create_customer("floor")
    Counter.objects.create(
        customer=floor, pending_documents=FLOOR, updated_at=THEN, recovered_at=THEN
    )
    lapsed = services.create_customer("lapsed", name="Had a pin once")
    Counter.objects.create(
        customer=lapsed, pinned_priority=3, pinned_until=THEN + timedelta(hours=1)
    )

    services.check_many(["acme"] * 24, at=THEN)
    services.check("acme", document="INV-2041", at=THEN + timedelta(microseconds=1))
    services.check_many([("birch", f"Lieferschein {number}") for number in range(40)], at=THEN)
    services.check("cedar", document="księga/№ 7", at=THEN)
    services.check("cedar", document="next day", at=THEN + timedelta(days=2))
    services.check("Dahlia", at=THEN)
    services.check_many(["dahlia"] * 4, at=THEN)
    services.check("a.b_c~d:e@f-9", document="INV-2041", at=THEN)

    services.pin("dahlia", priority=2, until=FAR, actor="ops", reason="Contract")
    services.check("dahlia", document="pinned", at=THEN + timedelta(minutes=1))
    services.pin("cedar", priority=9, until=FAR, actor="ops")
    services.unpin("cedar", actor="ops", reason="By mistake", source="admin")
    services.reset("Dahlia", actor="ops", reason="Import ran twice", at=THEN)
    services.set_policy("acme", policy="gold", actor="ops", reason="Trial")
    services.set_policy("acme", policy=None, actor="ops", reason="Trial ended")
    services.change_policy("patient", reset_interval=43_200, actor="ops", reason="Less patient")
    services.check_many([("gone", "1"), ("gone", "2")], at=THEN)
    services.forget("gone", actor="ops", reason="Left us")


def dump() -> str:
    """The whole database as SQL, without the commands of psql."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        return "".join(f"{line}\n" for line in connection.connection.iterdump())
    arguments, variables = connection.client.settings_to_cmd_args_env(connection.settings_dict, [])
    program = {
        "postgresql": ["pg_dump", "--inserts", "--no-owner", "--no-privileges"],
        "mysql": ["mariadb-dump", "--skip-comments", "--skip-extended-insert", "--skip-add-locks"],
    }[connection.vendor]
    command = [*program, *arguments[1:]]
    environment = {**os.environ, **(variables or {})}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return re.sub(r"^\\.*\n", "", done.stdout, flags=re.MULTILINE)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="the version that is being tagged")
    path = path_of(parser.parse_args().version, connection.vendor)
    path.parent.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        empty_database(f"{TEST_NAME}_kept", folder=Path(folder)),
    ):
        for app in ("admin", "doc_priority"):  # What every portal has.
            call_command("migrate", app, verbosity=0)
        fill()
        path.write_text(dump(), "utf-8")
