"""A request, and what follows from its answer."""

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import urlencode

HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')


class Request(NamedTuple):
    method: str
    address: str
    body: Any = None
    staff: bool = False
    """Whether somebody in the admin asks, who sends forms, and not a client, who sends JSON."""
    status: int = 200
    """Any other answer is an error."""
    then: Callable[[str], "Request"] | None = None
    """What is asked next, by what was answered."""

    @property
    def content(self) -> bytes | None:
        if self.body is None:
            return None
        return (urlencode(self.body) if self.staff else json.dumps(self.body)).encode()

    @property
    def content_type(self) -> str:
        return "application/x-www-form-urlencoded" if self.staff else "application/json"


def form_of(page: str, **filled_in: str) -> dict[str, str]:
    """As a browser sends it: with what is hidden in it, the token against forgery among it."""
    hidden = {name: unescape(value) for name, value in HIDDEN.findall(page)}
    return hidden | filled_in
