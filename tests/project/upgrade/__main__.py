"""Make the dump of the database DATABASE_URL names: `python -m tests.project.upgrade 0.1.0`."""

import argparse
import os
import tempfile
from pathlib import Path

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()

    from django.core.management import call_command
    from django.db import connection

    from tests.project.upgrade.databases import dump, empty_database, path_of
    from tests.project.upgrade.invented import fill
    from tests.settings import TEST_NAME

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
