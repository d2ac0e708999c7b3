"""System check of the token that a scraper shows."""

from typing import Any

from django.core import checks
from django.core.checks import CheckMessage

from doc_priority.contrib.prometheus.scraping import SETTING, token

TAG = "doc_priority"
SHORTEST = 20
"""What cannot be guessed over the network, in characters."""


def check_token(**kwargs: Any) -> list[CheckMessage]:
    """The token, if there is one, can be shown in a header and cannot be guessed."""
    given = token()
    if given is None:
        return []
    problem = _problem_with(given)
    if not problem:
        return []
    # The token itself is a secret, also where it cannot be used.
    return [
        checks.Error(
            f"{SETTING} {problem}.",
            hint=f"Give at least {SHORTEST} random characters, such as those of "
            '`python -c "import secrets; print(secrets.token_urlsafe())"`, or None.',
            id="doc_priority.E051",
        )
    ]


def _problem_with(given: Any) -> str:
    if not isinstance(given, str):
        return f"is of type {type(given).__name__}, not text"
    if not (given.isascii() and given.isprintable() and " " not in given):
        return "has characters that a header cannot carry"
    return "" if len(given) >= SHORTEST else f"has {len(given)} characters and could be guessed"
