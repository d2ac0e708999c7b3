"""One of a portal's processes: `python -m tests.contrib.prometheus.process DEED`.

The deeds are migrate, check and scrape.
"""

import sys
from importlib import import_module

import django
from django.core.management import call_command

from tests.contrib.prometheus.scraped import ADDRESS, SIGNED

django.setup()
client_class = import_module("django.test").Client
services = import_module("doc_priority.services")


def main(deed: str) -> None:
    if deed == "migrate":
        call_command("migrate", verbosity=0)
    elif deed == "check":
        services.check_many(["acme"] * 3)
    else:
        answer = client_class().get(ADDRESS, headers=SIGNED)
        sys.stdout.write(answer.content.decode())


if __name__ == "__main__":
    main(sys.argv[1])
