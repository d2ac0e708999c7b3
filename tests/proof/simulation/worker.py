"""One of several processes, each with a database of its own: runs the seeds, plants the bugs.

An order is a line of JSON, the name of what is to be done and what it takes; so is the answer.
When there is no further line it ends.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

from django.db import connection  # noqa: E402

from tests.proof.simulation import seeds  # noqa: E402

ORDERS: dict[str, Callable[..., Any]] = {
    "run": seeds.run,
    "caught": seeds.caught,
    "cut_down": seeds.cut_down,
}


def main() -> None:
    connection.ensure_connection()
    print("ready", flush=True)
    for line in sys.stdin:
        name, arguments = json.loads(line)
        print(json.dumps(ORDERS[name](**arguments)), flush=True)


if __name__ == "__main__":
    main()
