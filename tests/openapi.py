"""Write the API's description as the code has it now: `python -m tests.openapi`."""

import os

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()

from doc_priority.api.schema import COPY, as_text, document

if __name__ == "__main__":
    COPY.write_text(as_text(document()), "utf-8")
