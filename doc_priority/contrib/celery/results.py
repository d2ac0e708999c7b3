"""Which class stands for a result store?"""

from typing import Any

_CLASSES = "doc_priority.contrib.celery.redis_results"
_IN_TIME = {
    "redis": f"{_CLASSES}:RedisInTime",
    "rediss": f"{_CLASSES}:RedisInTime",
    "sentinel": f"{_CLASSES}:SentinelInTime",
}
"""By the scheme of its address, and loaded only then: the redis package need not be there."""


def keep_to_time(app: Any) -> None:
    """Redis is not waited for without end; a class that the portal gave itself stays."""
    app.loader.override_backends = {**_IN_TIME, **app.loader.override_backends}
