"""Install the wheel into empty projects, alone and with each extra, and use what it brings."""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.wheel.environments import Environment, environment, on_top_of
from tests.wheel.portal import Portal, portal
from tests.wheel.programs import ProgramError
from tests.wheel.trials import TRIALS, untried


@dataclass(frozen=True)
class Bench:
    """Where the trials are made, and with what."""

    wheel: Path
    sdist: Path
    folder: Path
    plain: Environment
    """The wheel without extras."""

    def failure(self, extra: str) -> str:
        """What went wrong; empty if nothing did."""
        name = f"django-doc-priority[{extra}]" if extra else "django-doc-priority"
        started = time.monotonic()
        try:
            TRIALS[extra](self._portal(extra))
        except (AssertionError, ProgramError) as error:
            print(f"{name}: FAILED", flush=True)
            return f"{name}: {error}"
        print(f"{name}: works, after {time.monotonic() - started:.0f} s", flush=True)
        return ""

    def _portal(self, extra: str) -> Portal:
        return portal(self._environment(extra), self.folder / f"project-{extra}", self.sdist)

    def _environment(self, extra: str) -> Environment:
        """With this extra and no other one."""
        if not extra:
            return self.plain
        made = on_top_of(self.plain, self.folder / f"environment-{extra}")
        made.install(f"{self.wheel}[{extra}]")
        return made


def bench(folder: Path, asked: argparse.Namespace) -> Bench:
    plain = environment(asked.python, folder / "environment")
    wheel = only(asked.dist, "*.whl")
    plain.install(str(wheel), f"Django{asked.django}")
    return Bench(wheel, only(asked.dist, "*.tar.gz"), folder, plain)


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found.resolve()


def failures(trying: Bench, extras: Iterable[str]) -> list[str]:
    """Of all of them, as many at once as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as together:
        return [said for said in together.map(trying.failure, extras) if said]


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.wheel", description=__doc__)
    parser.add_argument("--dist", type=Path, required=True, help="the folder of wheel and sdist")
    parser.add_argument("--python", default=sys.executable, help="the interpreter to try")
    parser.add_argument("--django", default="", help="which Django, such as ~=5.2.0")
    chosen = "this one only, '' the package alone; may be given more than once"
    parser.add_argument("--extra", action="append", choices=TRIALS, help=chosen)
    return parser.parse_args()


def main() -> int:
    asked = options()
    if untried():
        print(f"Not both an extra and a trial: {', '.join(sorted(untried()))}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        failed = failures(bench(Path(folder), asked), asked.extra or TRIALS)
    for said in failed:
        print(f"\n{said}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
