"""What the README takes for granted: a Celery app with a task, and somebody's request."""

import os
from datetime import timedelta
from types import SimpleNamespace

from celery import Celery
from django.contrib.auth.models import User
from django.utils.timezone import now

from doc_priority.contrib.celery import prioritize

CELERY = """\
from celery import Celery

app = Celery("portal", broker="redis://")


@app.task(name="portal.tasks.process")
def process(customer_key, document_id):
    pass
"""


def portal(project):
    project.write("portal/celery.py", CELERY)
    project.write("portal/__init__.py", "from .celery import app")


def prepare():
    app = Celery("portal", broker=os.environ["REDIS_URL"], set_as_current=False)
    prioritize(app, "portal.tasks.process", customer="customer_key", document="document_id")

    @app.task(name="portal.tasks.process")
    def process(customer_key, document_id):
        """The portal's work on one document."""

    return {
        "process": process,
        "request": SimpleNamespace(user=User.objects.create_user("support")),
        "tomorrow": now() + timedelta(days=1),
    }
