"""A real worker of Procrastinate, in a process of its own, and what it has started."""

import json
from collections.abc import Sequence
from typing import Any

from django.db import connection

WORKER = ("procrastinate", "worker", "--concurrency=1")
BATCH = (*WORKER, "--one-shot")


def started() -> list[tuple[int, dict[str, Any]]]:
    """The jobs that a worker took, in that order, each with its id and arguments."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT j.id, j.args::text FROM procrastinate_events e "
            "JOIN procrastinate_jobs j ON j.id = e.job_id WHERE e.type = 'started' ORDER BY e.id"
        )
        return [(job, json.loads(args)) for job, args in cursor.fetchall()]


def started_before(job_id: int, *, besides: Sequence[int]) -> int:
    """How many other jobs were started between the deferring of this one and its start."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM procrastinate_events e, procrastinate_events d, "
            "procrastinate_events s WHERE d.job_id = %s AND d.type = 'deferred' "
            "AND s.job_id = d.job_id AND s.type = 'started' AND e.type = 'started' "
            "AND e.id > d.id AND e.id < s.id AND NOT e.job_id = ANY(%s)",
            [job_id, list(besides)],
        )
        (count,) = cursor.fetchone()
        return count
