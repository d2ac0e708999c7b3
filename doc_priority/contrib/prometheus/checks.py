"""System check of the token that a scraper shows."""

from typing import Any

from django.core.checks import CheckMessage

from doc_priority.check_messages import SystemCheck
from doc_priority.contrib.prometheus.views import SETTING, token

SHORTEST = 20
"""Characters of a token that cannot be guessed over the network."""

_GIVE_RANDOM_ONES = (
    f"Give at least {SHORTEST} random characters, such as those of "
    '`python -c "import secrets; print(secrets.token_urlsafe())"`, or None.'
)
# The token is a secret even where it cannot be used, so no message shows it.
E051_NO_TEXT = SystemCheck("E051", f"{SETTING} is of type {{kind}}, not text.", _GIVE_RANDOM_ONES)
E051_NO_HEADER = SystemCheck(
    "E051", f"{SETTING} has characters that a header cannot carry.", _GIVE_RANDOM_ONES
)
E051_SHORT = SystemCheck(
    "E051", f"{SETTING} has {{length}} characters and could be guessed.", _GIVE_RANDOM_ONES
)


def check_token(**kwargs: Any) -> list[CheckMessage]:
    """The token, if there is one, can be shown in a header and cannot be guessed."""
    given: Any = token()
    if given is None:
        return []
    if not isinstance(given, str):
        return [E051_NO_TEXT(kind=type(given).__name__)]
    if not (given.isascii() and given.isprintable() and " " not in given):
        return [E051_NO_HEADER()]
    return [] if len(given) >= SHORTEST else [E051_SHORT(length=len(given))]
