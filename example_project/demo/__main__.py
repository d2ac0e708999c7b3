"""`python -m example_project.demo`: fill the example portal and run it until Ctrl-C."""

import os
import sys

from django.core.management import execute_from_command_line

from example_project import storage
from example_project.demo.stopping import stop_request


def main() -> int:
    """Run the command `demo` with the portal's settings; being stopped is a good end."""
    stop_request.listen()
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


if __name__ == "__main__":
    sys.exit(main())
