"""The command; suites use models, so Django comes first."""

import os
import sys

import django

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()

from tests.proof.command import main

if __name__ == "__main__":
    sys.exit(main())
