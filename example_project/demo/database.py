"""The demo's database: there, up to date, or new."""

import sqlite3
from contextlib import closing

from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError
from django.db.migrations.exceptions import InconsistentMigrationHistory

from example_project import storage


def start_anew() -> None:
    """Remove the data of earlier starts, unless another demo runs on it."""
    if storage.DATABASE.exists() and _is_open_elsewhere():
        raise CommandError(
            f"Another demo uses {storage.DATABASE}. Stop it first: Ctrl-C in its terminal."
        )
    storage.remove_database()


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


def _is_open_elsewhere() -> bool:
    """SQLite leaves WAL for another mode only when nobody else has the file open."""
    with closing(sqlite3.connect(storage.DATABASE, timeout=0)) as database:
        try:
            database.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError:
            return True
        except sqlite3.DatabaseError:
            return False
    return False
