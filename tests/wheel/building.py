"""The packages, built from a copy of this checkout as another machine would have it."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.wheel.programs import run

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = (".*_cache", ".coverage*", ".git", ".hypothesis", ".tox", ".venv", "__pycache__")
RESULTS = ("build", "dist", "htmlcov", "var")


@dataclass(frozen=True)
class Packages:
    wheel: Path
    sdist: Path


@dataclass(frozen=True)
class Machine:
    """What differs between two machines and may not be seen in what they build."""

    umask: int
    day: int
    """When the files were checked out, in seconds since 1970."""
    variables: dict[str, str]


HERE = Machine(0o022, 1_700_000_000, {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"})
ELSEWHERE = Machine(
    0o077, 1_234_567_890, {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "2"}
)


def copy(source: Path, folder: Path) -> Path:
    """A checkout without what came about in it."""
    return Path(shutil.copytree(source, folder, ignore=shutil.ignore_patterns(*LEFT_OUT, *RESULTS)))


def move_to(machine: Machine, tree: Path) -> None:
    """Give the files the rights and times they would have there."""
    for path in tree.rglob("*"):
        executable = 0o777 if path.is_dir() or path.stat().st_mode & 0o100 else 0o666
        path.chmod(executable & ~machine.umask)
        os.utime(path, (machine.day, machine.day))


def build(tree: Path, out: Path, machine: Machine = HERE) -> Packages:
    """Both packages, each out of the tree, without isolation and so without the network."""
    command = (sys.executable, "-m", "hatchling", "build", "--directory", str(out))
    environment = {"PATH": os.environ["PATH"], **machine.variables}
    before = os.umask(machine.umask)
    try:
        run(*command, folder=tree, environment=environment)
    finally:
        os.umask(before)
    (wheel,) = out.glob("*.whl")
    (sdist,) = out.glob("*.tar.gz")
    return Packages(wheel, sdist)
