"""What reaches the log of what was sent."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
LOGGERS = ("", "django", "doc_priority")
"""The first is the root, which hears them all."""
STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"request"}


class Line(NamedTuple):
    """As a file of the log would have it, and the values beside it."""

    logger: str
    text: str
    beside: dict[str, object]


class Lines(logging.Handler):
    """Keeps each."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.kept: list[Line] = []

    def emit(self, record: logging.LogRecord) -> None:
        beside = {name: value for name, value in vars(record).items() if name not in STANDARD}
        text = f"{record.levelname} {record.getMessage()}"
        self.kept.append(Line(record.name, text, beside))


@contextmanager
def listening() -> Iterator[Lines]:
    """To all that is logged from the level of information on."""
    handler = Lines()
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    loggers[0].addHandler(handler)
    for logger in loggers:
        logger.setLevel(logging.INFO)
    try:
        yield handler
    finally:
        loggers[0].removeHandler(handler)
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
