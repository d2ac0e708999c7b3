"""One of several processes, with several threads: says it is ready, does each order it reads.

An order is a line of JSON, an action and a share of items for each thread; so is the answer, what
each session said of its isolation and what all of them saw. When there is no further line it ends.
"""

import json
import os
import sys
from collections.abc import Sequence
from functools import partial
from itertools import chain

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

from django.db import connection  # noqa: E402

from tests.concurrency.crowd import in_threads  # noqa: E402
from tests.proof.counting.actions import ACTIONS, Seen  # noqa: E402
from tests.proof.counting.items import Item  # noqa: E402
from tests.proof.counting.levels import level_of_this_session  # noqa: E402


def main() -> None:
    connection.ensure_connection()
    print("ready", flush=True)
    for line in sys.stdin:
        action, shares = json.loads(line)
        works = [partial(_done, action, share) for share in shares]
        levels, seen = zip(*in_threads(works, patience=3600), strict=True)
        print(json.dumps([levels, list(chain.from_iterable(seen))]), flush=True)


def _done(action: str, share: Sequence[Sequence[str]]) -> tuple[str, list[Seen]]:
    return level_of_this_session(), ACTIONS[action]([Item(*item) for item in share])


if __name__ == "__main__":
    main()
