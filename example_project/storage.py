"""Where the demo keeps what it writes: one folder that is no part of the repository."""

import os
import secrets
from pathlib import Path

FOLDER = Path(os.environ.get("EXAMPLE_PROJECT_VAR") or Path(__file__).resolve().parent / "var")
DATABASE = FOLDER / "portal.sqlite3"
WORKER_LOG = FOLDER / "worker.log"
SECRET_KEY = FOLDER / "secret_key"


def prepare() -> None:
    """Make the folder, invisible to git, and the portal's own secret key in it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    FOLDER.joinpath(".gitignore").write_text("*\n", encoding="ascii")
    if not secret_key():
        SECRET_KEY.touch(mode=0o600)
        SECRET_KEY.write_text(secrets.token_urlsafe(50), encoding="ascii")


def secret_key() -> str:
    """The key this machine made; empty before the demo's first start."""
    return SECRET_KEY.read_text(encoding="ascii") if SECRET_KEY.exists() else ""
