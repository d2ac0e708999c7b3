"""Text that somebody typed, as the services accept it."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from doc_priority.exceptions import InvalidText
from doc_priority.validation import require_text


def showable(text: str, *, name: str, length: int) -> str:
    """The text; an error for its field where it could not be shown."""
    try:
        return require_text(text, name=name, length=length)
    except InvalidText as error:
        raise ValidationError(
            _("There are control characters or invisible marks in it; leave them out.")
        ) from error
