"""Which engines keep nine levels apart, and by which number or name?

Knows no model, so that a module which is imported before Django's apps may use it.
"""

from enum import StrEnum


class Engine(StrEnum):
    """The engines that keep nine levels apart, and the names they are asked for by."""

    CELERY_REDIS = "celery-redis"
    CELERY_RABBITMQ = "celery-rabbitmq"
    DJANGO_TASKS = "django-tasks"
    PROCRASTINATE = "procrastinate"
    HUEY = "huey"
    DRAMATIQ = "dramatiq"
    RQ = "rq"


MAX_PRIORITY = 10
"""What a queue on RabbitMQ is declared with to keep nine levels apart."""


def level(engine: Engine, *, priority: int, depth: int = 0) -> int | str:
    """What stands for a priority from 1 to 9, and a depth within 9, on this engine."""
    match engine:
        case Engine.CELERY_REDIS:
            return priority
        case Engine.DJANGO_TASKS:
            return 50 - 10 * priority - depth
        case Engine.PROCRASTINATE:
            return -priority - depth
        case Engine.RQ:
            return f"p{priority}"
        case _:
            return 10 - priority
