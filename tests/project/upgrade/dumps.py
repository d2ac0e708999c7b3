"""Which versions are kept, and where."""

from pathlib import Path

FOLDER = Path(__file__).parent

VERSIONS = sorted(path.name for path in FOLDER.iterdir() if path.name[0].isdigit())


def path_of(version: str, vendor: str) -> Path:
    return FOLDER / version / f"{vendor}.sql"
