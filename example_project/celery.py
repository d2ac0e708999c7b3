"""The portal's Celery app; imported only where ENGINE=celery was chosen."""

import os
from zlib import crc32

from celery import Celery

from doc_priority.contrib.celery import prioritize
from example_project.storage import DATABASE

REDIS_URL = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/0"

# Each portal on one Redis has a queue of its own: its documents are in its own database.
QUEUE = f"example-portal-{crc32(str(DATABASE).encode()):08x}"

app = Celery("example_project", broker=REDIS_URL, include=["example_project.portal.celery_engine"])
app.conf.task_default_queue = QUEUE
app.conf.task_ignore_result = True
# A worker that was killed loses nothing: what it had is delivered again after this time.
app.conf.task_acks_late = True
app.conf.broker_transport_options = {"visibility_timeout": 60}

prioritize(
    app,
    "example_project.portal.celery_engine.process",
    customer="client_key",
    document="reference",
)
