"""What a system check says, as data.

Each module of checks begins with its own table. `docs/reference/checks.md` says the same; a test
compares them.
"""

from dataclasses import dataclass

from django.core.checks import CheckMessage, Error
from django.core.checks import Warning as CheckWarning

TAG = "doc_priority"
"""Every check has it, so that `manage.py check --tag doc_priority` runs these checks alone."""

CONNECTIONS_TAG = "doc_priority_connections"
"""By this tag `doctor` asks for a check that otherwise runs for a deployment only."""

ALWAYS = "With every `manage.py check`."


@dataclass(frozen=True, slots=True)
class SystemCheck:
    """What one check says, what to do about it, and when it runs.

    Message and hint are templates for `str.format`. An id that says one of several things has a
    row for each. Ids that begin with E are errors, and those with W are warnings.
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
