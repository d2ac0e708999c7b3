"""Disks that are full, on each database: within each block, a way to make room."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from django.db import connection

from tests.proof.stuck.settings_of_sessions import options, sessions_with
from tests.proof.stuck.small_disk import small_disk

MakeRoom = Callable[[], object]


class FullDisk(NamedTuple):
    title: str
    told: str
    present: Callable[[], AbstractContextManager[MakeRoom]]
    counters_have_room: bool
    """Whether a counter that is there can still be changed."""


SMALL, LARGE = 512 * 1024, 64 * 1024 * 1024
FEW_PAGES = 20

MOVE = "ALTER TABLE doc_priority_documentdecision SET TABLESPACE small"


@contextmanager
def _few_pages() -> Iterator[MakeRoom]:
    """SQLite's file may have only so many pages more."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA page_count")
        (pages,) = cursor.fetchone()
    limit = f"PRAGMA max_page_count = {pages + FEW_PAGES}"
    with ExitStack() as stack:
        begin = f"{options()['init_command']}; {limit}"
        stack.enter_context(sessions_with(OPTIONS=options(init_command=begin)))
        yield stack.close


@contextmanager
def _file_on_a_small_disk() -> Iterator[MakeRoom]:
    """A copy of SQLite's file."""
    file = Path(connection.settings_dict["NAME"])
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with small_disk(file.stat().st_size + SMALL) as disk:
        copy = shutil.copy(file, disk.folder)
        with sessions_with(NAME=copy):
            yield partial(disk.grow, LARGE)


@contextmanager
def _decisions_on_a_small_disk() -> Iterator[MakeRoom]:
    """Of a PostgreSQL server on this machine; what else it needs lies elsewhere."""
    with small_disk(SMALL) as disk:
        shutil.chown(disk.folder, "postgres")
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TABLESPACE small LOCATION '{disk.folder}'")
            cursor.execute(MOVE)
        yield partial(disk.grow, LARGE)


FULL_FILES = (
    FullDisk("The file is full", "OperationalError SQLITE_FULL", _few_pages, True),
    FullDisk("The disk is full", "OperationalError SQLITE_FULL", _file_on_a_small_disk, False),
)
FULL_TABLESPACE = FullDisk(
    "The disk is full", "OperationalError 53100", _decisions_on_a_small_disk, True
)
