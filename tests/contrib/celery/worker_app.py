"""What a worker process is started with: `celery -A tests.contrib.celery.worker_app worker`."""

from tests.contrib.celery.portal import make, of_environment

app = make(of_environment())
