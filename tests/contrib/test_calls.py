"""Which customer and which document a call is for, and what is refused before it is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from inspect import Parameter
from operator import itemgetter
from types import SimpleNamespace
from typing import Annotated, Any, Literal, NewType, Optional, TypeVar
from uuid import UUID

import pytest

from doc_priority.contrib.calls import PrioritizedTask, Subject, Where, doubt_about
from doc_priority.exceptions import InvalidDocument, InvalidInput, InvalidKey
from doc_priority.models import Customer

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


@dataclass
class Overrides:
    owner_id: int | None = None


@dataclass
class Letters:
    first: Overrides
    tags: list[int]


@dataclass
class Unresolved:
    tags: "Imported.By[TypeCheckers, Only]"  # noqa: F821


class Upload:
    pass


def consume(source: str, overrides: Overrides | None = None) -> None:
    """A task that somebody else wrote: its customer is an attribute of an argument."""


def owner_of(call: Mapping[str, Any]) -> Any:
    return call["overrides"] and call["overrides"].owner_id


@pytest.mark.parametrize("where", ["overrides.owner_id", owner_of])
@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (["a.pdf", Overrides(7)], {}),
        (["a.pdf"], {"overrides": Overrides(7)}),
        ([], {"source": "a.pdf", "overrides": Overrides(7)}),
    ],
)
def test_a_customer_within_an_argument(where: Where, args: Any, kwargs: Any) -> None:
    task = PrioritizedTask("consume", where, document=lambda call: call["source"].upper())
    assert task.subject_of(args, kwargs, function=consume) == Subject("7", "A.PDF")


def test_a_path_leads_through_attributes_and_keys() -> None:
    task = PrioritizedTask("consume", "call.user.id", document="call.file")
    call = SimpleNamespace(user={"id": "acme"})
    assert task.subject_of([], {"call": call}, function=None) == Subject("acme", "")
    call = {"user": SimpleNamespace(id="acme"), "file": "a.pdf"}
    assert task.subject_of([], {"call": call}, function=None) == Subject("acme", "a.pdf")


NOBODY = [{}, {"overrides": None}, {"overrides": Overrides(None)}]


@pytest.mark.parametrize("kwargs", NOBODY)
def test_a_call_without_a_customer_is_refused(kwargs: Any) -> None:
    task = PrioritizedTask("consume", "overrides.owner_id")
    with pytest.raises(InvalidKey, match=r"consume is .* overrides.owner_id=None.*overrides=…"):
        task.subject_of(["a.pdf"], kwargs, function=consume)
    task = PrioritizedTask("consume", owner_of)
    with pytest.raises(InvalidKey, match=r"consume is called, and owner_of gives None"):
        task.subject_of(["a.pdf"], kwargs, function=consume)


@pytest.mark.parametrize(
    "owner", [None, "", "user/1", "a b", "héllo", "x" * 65, "..", 1.5, True, Upload()]
)
def test_what_becomes_of_calls_without_a_customer_can_be_said(
    owner: Any, caplog: pytest.LogCaptureFixture
) -> None:
    call = {"kwargs": {"overrides": Overrides(owner)}, "function": consume}
    for_all = PrioritizedTask("consume", "overrides.owner_id", "source", missing="mail:room")
    assert for_all.subject_of(["a.pdf"], **call) == Subject("mail:room", "a.pdf")
    assert not caplog.records
    caplog.set_level("INFO")
    as_ever = PrioritizedTask("consume", "overrides.owner_id", missing="unprioritised")
    assert as_ever.subject_of(["a.pdf"], **call) is None
    (record,) = caplog.records
    assert (record.action, record.task) == ("unprioritised", "consume")
    assert record.message.endswith("without a priority: overrides.owner_id gives no customer's key")


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("user/1", "neither 'raise' nor 'unprioritised' nor a customer's key"),
        ("", "neither 'raise'"),
        (None, "neither 'raise'"),
        ("unprioritized", "write 'unprioritised'"),
        ("Raise", "write 'raise'"),
    ],
)
def test_nothing_else_can_be_said(missing: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        PrioritizedTask("consume", "overrides.owner_id", missing=missing)


def none_at_all() -> str:
    return "acme"


async def in_its_own_time(call: Mapping[str, Any]) -> str:
    return "acme"


@pytest.mark.parametrize("where", [none_at_all, process, in_its_own_time, str, Upload])
@pytest.mark.parametrize("key", ["customer", "document"])
def test_what_cannot_tell_a_value_is_no_function_for_it(where: Any, key: str) -> None:
    terms: Any = {"customer": "customer_key", key: where}
    with pytest.raises(InvalidInput, match=f"{key}=.* which cannot be called with one thing"):
        PrioritizedTask("process", **terms)


def test_a_function_may_be_any_that_takes_one_thing() -> None:
    for where in (itemgetter("customer_key"), partial(getter, name="customer_key")):
        task = PrioritizedTask("process", where)
        assert task.subject_of(["acme", "1"], {}, function=process) == Subject("acme", "")


def getter(call: Mapping[str, Any], name: str) -> Any:
    return call[name]


def test_arguments_by_place_of_a_task_unknown_here_are_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    task = PrioritizedTask("process", "customer_key", missing="mail:room")
    assert task.subject_of(["acme"], {}, function=None) == Subject("mail:room", "")
    (record,) = caplog.records
    assert (record.action, record.levelname) == ("arguments_unplaced", "WARNING")
    assert task.subject_of([], {"customer_key": "acme"}, function=None) == Subject("acme", "")
    assert len(caplog.records) == 1


def test_a_document_that_a_function_gives_is_looked_at() -> None:
    task = PrioritizedTask("process", "customer_key", document=lambda call: [call["document_id"]])
    with pytest.raises(InvalidDocument, match=r"process is called, and .*lambda> gives \['1'\]"):
        task.subject_of(["acme", "1"], {}, function=process)


def test_a_mistake_in_the_portals_function_is_its_own() -> None:
    task = PrioritizedTask("consume", lambda call: call["nobody"], missing="unprioritised")
    with pytest.raises(KeyError, match="nobody"):
        task.subject_of(["a.pdf"], {}, function=consume)


Key = NewType("Key", str)


class Letter(StrEnum):
    A = "a"


@pytest.mark.parametrize(
    "annotation",
    [
        str,
        "str | None",
        Optional[int],  # noqa: UP045  # is another kind of union
        UUID | Upload,
        Annotated[str, "a key"],
        Literal["a", 1],
        Key,
        Letter,
        Any,
        object,
        TypeVar("T"),
        Parameter.empty,
        "Imported.By[TypeCheckers, Only]",
    ],
)
def test_what_may_be_a_key_raises_no_doubt(annotation: Any) -> None:
    assert doubt_about(annotated(annotation), "given") == ""


@pytest.mark.parametrize(
    ("annotation", "shown"),
    [
        (Upload, "Upload"),
        ("Upload | None", "Upload | None"),
        (bool, "bool"),
        (float, "float"),
        (None, "NoneType"),
        (list[str], "list[str]"),
        (Literal[1.5], "Literal[1.5]"),
    ],
)
def test_what_can_be_no_key_raises_one(annotation: Any, shown: str) -> None:
    doubt = doubt_about(annotated(annotation), "given")
    assert doubt.startswith("given: ")
    assert doubt.endswith(f"{shown} is no text, number or UUID")
    assert doubt_about(annotated(annotation), lambda call: call["given"]) == ""


def annotated(annotation: Any) -> Any:
    def function(given: Any) -> None: ...

    function.__annotations__ = {} if annotation is Parameter.empty else {"given": annotation}
    return function


@pytest.mark.parametrize(
    ("annotation", "path", "doubt"),
    [
        (Overrides, "given.owner_id", ""),
        (Overrides | None, "given.ownr_id", "Overrides | None has no 'ownr_id'"),
        (Customer, "given.policy_id", ""),
        (Customer, "given.owner", "Customer has no 'owner'"),
        (Upload, "given.set_in_its_init", ""),
        (dict[str, Any], "given.any", ""),
        (Overrides | Upload, "given.any", ""),
        (Letters, "given.first.owner_id", ""),
        (Letters, "given.first.ownr_id", "has no 'ownr_id'"),
        (Letters, "given.tags", "given.tags is no text, number or UUID"),
        (Unresolved, "given.tags", ""),
    ],
)
def test_a_path_is_looked_for_where_it_is_known(annotation: Any, path: str, doubt: str) -> None:
    assert doubt_about(annotated(annotation), path).endswith(doubt)
    assert (doubt_about(annotated(annotation), path) == "") == (doubt == "")
