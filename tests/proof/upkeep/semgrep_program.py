"""semgrep, where it disturbs nobody.

Its Python part wants older versions of what the tests use, OpenTelemetry among it. The program that
looks for patterns needs none of that, so it is installed alone, into `build`, and stays there.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.settings import BASE_DIR

VERSION = "1.182.0"
FOLDER = BASE_DIR / "build" / f"semgrep-{VERSION}"


def semgrep() -> Path:
    """The program; it is fetched once."""
    # It looks at the name it is called by.
    program = FOLDER / "osemgrep"
    if not program.exists():
        _install()
    return program


def _install() -> None:
    FOLDER.parent.mkdir(exist_ok=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    with TemporaryDirectory(dir=FOLDER.parent) as folder:
        made = Path(folder, FOLDER.name)
        subprocess.run(
            [*pip, "--no-deps", "--target", str(made), f"semgrep=={VERSION}"],
            check=True,
            timeout=280,
        )
        (made / "osemgrep").symlink_to(Path("semgrep", "bin", "semgrep-core"))
        made.rename(FOLDER)
