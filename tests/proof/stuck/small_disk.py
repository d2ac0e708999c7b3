"""A disk of a few kilobytes, in memory."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple


class CannotMountError(Exception):
    """What this machine says."""


class SmallDisk(NamedTuple):
    folder: Path

    def grow(self, size: int) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", self.folder], check=True)


@contextmanager
def small_disk(size: int) -> Iterator[SmallDisk]:
    """So many bytes; only an administrator can have one, and not everywhere."""
    if os.geteuid() != 0:
        raise CannotMountError("only root may mount a disk")
    with TemporaryDirectory() as folder:
        mounting = ("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
        mounted = subprocess.run(mounting, capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            raise CannotMountError(mounted.stderr.strip())
        try:
            yield SmallDisk(Path(folder))
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)
