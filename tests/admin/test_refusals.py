"""Whatever a service refuses, the form says why in the reader's language."""

import inspect

import pytest
from django.utils import translation

from doc_priority import exceptions
from doc_priority.admin import refusals
from doc_priority.exceptions import DocPriorityError
from tests.translations import LANGUAGES

NOT_OF_A_FORM = {
    exceptions.DocPriorityError,
    exceptions.InvalidInput,
    exceptions.InvalidDocument,
    exceptions.UnknownEngine,
    exceptions.TaskPrioritizedOtherwise,
    exceptions.TransportWithoutPriorities,
    exceptions.EventIsWritten,
}
"""What nobody raises itself, and what only checks, queues and programs can be told."""

ERRORS = [
    error
    for error in vars(exceptions).values()
    if inspect.isclass(error) and issubclass(error, DocPriorityError)
]


def told(error: type[DocPriorityError], language: str) -> str:
    with translation.override(language):
        return refusals.in_words(error("Said to programs"))


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_no_error_is_told_in_the_words_for_programs(error: type[DocPriorityError]) -> None:
    sentences = {told(error, language) for language in ("en", *LANGUAGES)}
    assert len(sentences) == 1 + len(LANGUAGES)
    assert "Said to programs" not in " ".join(sentences)


def test_what_a_form_can_be_refused_for_has_words_of_its_own() -> None:
    anything_else = told(DocPriorityError, "en")
    assert {error for error in ERRORS if told(error, "en") == anything_else} == NOT_OF_A_FORM
