"""Programs that are run where nothing of this checkout can be found."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

TIMEOUT = 300
"""A package index may be slow."""


class ProgramError(Exception):
    """Names the command, and has all that it said."""

    def __init__(self, command: tuple[str, ...], what: str, said: str) -> None:
        super().__init__(f"{' '.join(command)} {what}:\n{said}")


def run(
    *command: str, folder: Path, environment: Mapping[str, str] | None = None, script: str = ""
) -> str:
    """What it said, errors included."""
    try:
        ended = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            input=script,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=TIMEOUT,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise ProgramError(command, f"ended with {error.returncode}", error.stdout) from error
    except subprocess.TimeoutExpired as error:
        raise ProgramError(command, f"took over {TIMEOUT} s", "") from error
    return ended.stdout
