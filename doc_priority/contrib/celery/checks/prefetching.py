"""Does a worker hold documents back that it does not work on yet?"""

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage
from django.core.checks import Warning as CheckWarning

from doc_priority.contrib.celery.prioritized import Tasks


def look_at_prefetch(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    multiplier = app.conf.worker_prefetch_multiplier
    if multiplier != 1 and not app.conf.worker_disable_prefetch:
        taken = f"{multiplier} documents" if multiplier else "all documents there are"
        yield CheckWarning(
            f"{app.main}: worker_prefetch_multiplier is {multiplier!r}: a worker takes {taken} "
            "for each of its processes, and those are done before an urgent one that comes later.",
            hint="Leave worker_prefetch_multiplier out or set 1, and keep task_acks_late.",
            id="doc_priority.W020",
        )


def look_at_acknowledgement(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    for name in tasks:
        task = app.tasks.get(name)
        if task is not None and not task.acks_late and not app.conf.worker_disable_prefetch:
            yield CheckWarning(
                f"{app.main}: {name} has acks_late {task.acks_late!r}: each worker process holds "
                "one more document than it works on, and an urgent one waits for that.",
                hint="Leave task_acks_late and the task's acks_late out or set True; call "
                "prioritize() before the task is used for the first time.",
                id="doc_priority.W021",
            )


LOOKS = (look_at_prefetch, look_at_acknowledgement)
