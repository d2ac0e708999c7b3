"""docs/reference/settings.md: every key, what it takes and means, and the check that watches it."""

import re
from collections.abc import Iterator

from django.core.checks import CheckMessage
from django.test import override_settings

from doc_priority import conf
from doc_priority.checks import check_settings
from tests.reference.markdown import code, prose, prose_of, table
from tests.reference.source import texts_below


def _keys() -> str:
    meanings = meanings_of_keys()
    return table(
        ["key", "default", "takes", "means", "check"],
        (
            [code(key), code(shown(default)), _taken(key), prose_of(meanings[key]), _check(key)]
            for key, default in conf.DEFAULTS.items()
        ),
    )


def meanings_of_keys() -> dict[str, str]:
    """What the text below the defaults says of each key."""
    return dict(_meanings(texts_below(conf)["DEFAULTS"]))


def _meanings(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if match := re.fullmatch(r"([A-Z_]+): (.*)\.", line):
            yield match[1], match[2]


def shown(value: object) -> str:
    """A value as one would write it into the settings."""
    return repr(value).replace("'", '"')


def _taken(key: str) -> str:
    """What the check asks for, in its own words."""
    message = _refusal(key)
    if whole := re.search(r"a (whole number[^.]*)\.$", message.msg):
        return re.sub(r"\d{5,}", lambda digits: f"{int(digits[0]):,}", whole[1])
    taken = re.sub(r"^(Give|Choose) |; [^;]* is the default\.$|\.$", "", str(message.hint))
    return prose(taken.replace("'", '"'))


def _check(key: str) -> str:
    number = str(_refusal(key).id).rpartition(".")[2]
    return f"[{number}](checks.md#{number.lower()})"


def _refusal(key: str) -> CheckMessage:
    """What the check says of a value that no key takes."""
    with override_settings(DOC_PRIORITY={key: ...}):
        (message,) = check_settings()
    return message


PARTS = {"keys": _keys}
