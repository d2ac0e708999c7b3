"""An environment with the wheel, what that brings along, and nothing else."""

import sys
from dataclasses import dataclass
from pathlib import Path

from tests.wheel.programs import run

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")

PACKAGES = "import sysconfig; print(sysconfig.get_path('purelib'))"


@dataclass(frozen=True)
class Environment:
    """pip is the one of whoever asks, so that not even pip is in it."""

    folder: Path

    @property
    def programs(self) -> Path:
        return self.folder / "bin"

    @property
    def python(self) -> str:
        return str(self.programs / "python")

    @property
    def packages(self) -> str:
        return run(self.python, "-c", PACKAGES, folder=self.folder).strip()

    def install(self, *requirements: str) -> None:
        self._pip("install", "--quiet", "--root-user-action=ignore", *requirements)
        self._pip("check")

    def installed(self) -> dict[str, str]:
        """Each package and its version."""
        said = self._pip("list", "--format=freeze")
        packages = (line.split("==") for line in said.splitlines() if "==" in line)
        return {name.lower().replace("_", "-"): version for name, version in packages}

    def _pip(self, *arguments: str) -> str:
        return run(*PIP, "--python", self.python, *arguments, folder=self.folder)


def environment(python: str, folder: Path) -> Environment:
    """A new one, of this interpreter."""
    folder.mkdir(parents=True)
    run(python, "-m", "venv", "--without-pip", str(folder), folder=folder)
    return Environment(folder)


def on_top_of(other: Environment, folder: Path) -> Environment:
    """A new one that finds the other's packages as well, which need not be written once more."""
    made = environment(other.python, folder)
    Path(made.packages, "other.pth").write_text(other.packages, encoding="utf-8")
    return made
