"""One of several processes: says it is ready, does each order it reads, and says what came of it.

An order is a line of JSON, an action and its arguments. When there is no further line it ends.
"""

import json
import os
import sys

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

from django.db import connection  # noqa: E402

from tests.proof.scale.actions import ACTIONS  # noqa: E402


def main() -> None:
    connection.ensure_connection()
    print("ready", flush=True)
    for line in sys.stdin:
        action, arguments = json.loads(line)
        print(json.dumps(ACTIONS[action](**arguments)), flush=True)


if __name__ == "__main__":
    main()
