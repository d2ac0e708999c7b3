"""Write the generated parts of the reference: `python -m tests.reference`."""

import os

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()

from tests.reference.pages import PAGES, current

if __name__ == "__main__":
    for page in PAGES:
        page.path.write_text(current(page), "utf-8")
