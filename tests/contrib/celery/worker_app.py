"""What a worker process is started with: `celery -A tests.contrib.celery.worker_app worker`."""

from tests.contrib.celery.portal import Terms, make

app = make(Terms.of_environment())
