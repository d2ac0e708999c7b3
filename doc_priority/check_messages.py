"""The messages of a system check, as data; `doc_priority.checks` says how to add a check."""

from dataclasses import dataclass

from django.core.checks import CheckMessage, Error
from django.core.checks import Warning as CheckWarning

TAG = "doc_priority"
"""Every check has it, so that `manage.py check --tag doc_priority` runs these checks alone."""

CONNECTIONS_TAG = "doc_priority_connections"
"""With this tag `doctor` runs a check that otherwise runs with `--deploy` only."""

ALWAYS = "With every `manage.py check`."


@dataclass(frozen=True, slots=True)
class SystemCheck:
    """What one check says, what to do about it, and when it runs.

    Message and hint are templates for `str.format`. An id with several messages has a `SystemCheck`
    for each. Ids that begin with E are errors, and those with W are warnings.
    """

    id: str
    message: str
    hint: str
    when: str = ALWAYS

    def __call__(self, **values: object) -> CheckMessage:
        """The message that Django shows, with these values."""
        kind = Error if self.id.startswith("E") else CheckWarning
        return kind(
            self.message.format(**values),
            hint=self.hint.format(**values),
            id=f"doc_priority.{self.id}",
        )
