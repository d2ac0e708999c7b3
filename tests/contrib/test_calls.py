"""Which customer and which document a call is for, and what is refused before it is asked."""

from typing import Any

import pytest

from doc_priority.contrib.calls import PrioritizedTask, Subject
from doc_priority.exceptions import InvalidDocument, InvalidInput, InvalidKey

TASK = PrioritizedTask("process", "customer_key", "document_id")


def process(customer_key: str, document_id: str, copies: int = 1) -> None:
    """A task's function."""


def test_arguments_by_place_and_by_name() -> None:
    assert TASK.subject_of(["acme"], {"document_id": 7}, function=process) == Subject("acme", "7")


def test_what_is_left_out_is_what_the_task_would_have() -> None:
    def counted(customer_key: str = "acme", document_id: int = 7) -> None: ...

    assert TASK.subject_of([], {}, function=counted) == Subject("acme", "7")
    assert TASK.subject_of(["birch"], {}, function=counted) == Subject("birch", "7")
    assert TASK.subject_of([], {"document_id": 8}, function=counted) == Subject("acme", "8")


@pytest.mark.parametrize("nothing", [None, ""])
def test_none_or_an_empty_text_is_no_document(nothing: Any) -> None:
    subject = TASK.subject_of(["acme", nothing], {}, function=process)
    assert subject == Subject("acme", "")
    assert TASK.id_of(subject) is None


@pytest.mark.parametrize("customer", ["", None, True, 1.5, ["acme"]])
def test_what_is_no_customers_key_is_refused(customer: Any) -> None:
    with pytest.raises(InvalidKey, match=r"process is called with customer_key=.*customer_key=…"):
        TASK.subject_of([], {"customer_key": customer, "document_id": "1"}, function=None)


@pytest.mark.parametrize("document", [False, 1.5, ["1"]])
def test_what_is_no_documents_id_is_refused(document: Any) -> None:
    with pytest.raises(InvalidDocument, match=r"process is called with document_id=.*give a str"):
        TASK.subject_of([], {"customer_key": "acme", "document_id": document}, function=None)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({"customer": ""}, "customer=''"),
        ({"customer": None}, "customer=None"),
        ({"customer": 5}, "customer=5"),
        ({"customer": "key", "document": None}, "document=None"),
        ({"customer": "key", "document": 5}, "document=5"),
    ],
)
def test_names_of_arguments_are_text(names: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=rf"'process'.*{said}.*name of the task's argument"):
        PrioritizedTask("process", **names)


@pytest.mark.parametrize("name", [process, None, ""])
def test_a_task_goes_by_its_name(name: Any) -> None:
    with pytest.raises(InvalidInput, match=r"task\.name"):
        PrioritizedTask(name, "customer_key")


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        (["acme"], {}, "process: missing a required argument: 'document_id'"),
        (["acme", "1", 2, 3], {}, "process: too many positional arguments"),
        (["acme", "1"], {"copy": 2}, "process: got an unexpected keyword argument 'copy'"),
    ],
)
def test_a_call_that_can_only_fail_is_refused(args: Any, kwargs: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        TASK.refuse_misfit(args, kwargs, function=process)
    TASK.refuse_misfit(["acme"], {"document_id": "1"}, function=process)
