"""`python -m example_project.demo`: fill the example portal and run it until Ctrl-C.

`python -m example_project.demo worker NAME …` runs the program NAME for as long as its input is
open. The demo holds the other end, so a demo that was killed leaves no worker behind.
"""

import os
import runpy
import signal
import sys
import time
from threading import Thread

from django.core.management import execute_from_command_line

from example_project import storage


def main() -> int:
    """Run the command `demo` with the portal's settings; being stopped is a good end."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "example_project.settings"
    try:
        storage.prepare()
        execute_from_command_line(["python -m example_project.demo", "demo", *sys.argv[1:]])
    except KeyboardInterrupt:
        print("\nStopped.", flush=True)
    except PermissionError as error:
        print(f"Cannot write to {storage.FOLDER} ({error}).", file=sys.stderr)
        print("Name another folder: EXAMPLE_PROJECT_VAR=/tmp/portal make demo", file=sys.stderr)
        return 1
    return 0


def stop_when_alone() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)  # it finishes its document
    os._exit(1)


if __name__ == "__main__":
    if sys.argv[1:2] != ["worker"]:
        sys.exit(main())
    Thread(target=stop_when_alone, daemon=True).start()
    del sys.argv[:2]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
