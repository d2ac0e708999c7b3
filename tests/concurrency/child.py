"""One of several processes at one database: says it is ready, waits for keys, does its action."""

import json
import sys

import django

django.setup()

from django.db import connection  # noqa: E402

from tests.concurrency.counting import ACTIONS  # noqa: E402


def main(action: str) -> None:
    connection.ensure_connection()
    print("ready", flush=True)  # noqa: T201
    seen = ACTIONS[action](json.loads(sys.stdin.readline()))
    rows = [(one.customer, one.pending_documents, one.decided_at.isoformat()) for one in seen]
    print(json.dumps(rows))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
