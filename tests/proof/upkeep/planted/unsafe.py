"""What bandit must not let pass."""

import subprocess


def listing(folder: str) -> bytes:
    return subprocess.check_output(f"ls {folder}", shell=True)  # planted
