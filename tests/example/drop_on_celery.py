"""`python -m tests.example.drop_on_celery`: a portal on Celery, a drop, and what came of it.

A program, because the portal's Celery app reads its settings when it is imported.
"""

import json
import os
import sys
from uuid import UUID

import django
from django.core.management import call_command

from example_project import storage

FORM = {"token": str(UUID(int=7)), "number": 3}


def main() -> None:
    os.environ |= {"DJANGO_SETTINGS_MODULE": "example_project.settings", "ENGINE": "celery"}
    storage.prepare()
    django.setup()
    call_command("migrate", verbosity=0)
    json.dump(dropped(), sys.stdout)


def dropped() -> dict[str, object]:
    from django.contrib.auth.models import User
    from django.test import Client as Browser

    from doc_priority.models import DocumentDecision
    from example_project.portal.models import Client, Document
    from example_project.portal.services import create_client

    if not Client.objects.exists():
        create_client(key="acme", name="Acme")
    admin, _ = User.objects.get_or_create(username="admin", is_superuser=True)
    browser = Browser(SERVER_NAME="127.0.0.1")
    browser.force_login(admin)
    response = browser.post("/clients/acme/drop/", FORM)
    return {
        "status": response.status_code,
        "text": response.content.decode(),
        "documents": list(Document.objects.order_by("pk").values_list("priority", flat=True)),
        "decisions": DocumentDecision.objects.count(),
    }


if __name__ == "__main__":
    main()
