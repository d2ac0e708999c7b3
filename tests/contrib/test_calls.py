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

from doc_priority.contrib.calls import PrioritizedTask, Subject, doubt_about
from doc_priority.exceptions import InvalidDocument, InvalidInput, InvalidKey
from doc_priority.models import Customer

pytestmark = pytest.mark.sqlite

TASK = PrioritizedTask("process", "customer_key", "document_id")


def process(customer_key: str, document_id: str, copies: int = 1) -> None:
    """A task's function."""


@dataclass
class Overrides:
    owner_id: int | None = None


def consume(source: str, overrides: Overrides | None = None) -> None:
    """A task that somebody else wrote: its customer is an attribute of an argument."""


def owner_of(call: Mapping[str, Any]) -> Any:
    return call["overrides"] and call["overrides"].owner_id


def test_what_a_call_names() -> None:
    """By place, by name, or by the task's defaults; a document need not be named."""

    def counted(customer_key: str = "acme", document_id: int = 7) -> None: ...

    for args, kwargs, function, subject in [
        (["acme"], {"document_id": 7}, process, ("acme", "7")),
        ([], {}, counted, ("acme", "7")),
        (["birch"], {}, counted, ("birch", "7")),
        ([], {"document_id": 8}, counted, ("acme", "8")),
        (["acme", None], {}, process, ("acme", "")),
        (["acme", ""], {}, process, ("acme", "")),
    ]:
        found = TASK.subject_of(args, kwargs, function=function)
        assert found == Subject(*subject)
        assert (TASK.id_of(found) is None) == (found.document == "")


def test_what_is_no_key_or_id_is_refused() -> None:
    for customer in ("", None, True, 1.5, ["acme"]):
        call = {"customer_key": customer, "document_id": "1"}
        said = r"process is called with customer_key=.*customer_key=…"
        with pytest.raises(InvalidKey, match=said):
            TASK.subject_of([], call, function=None)
    for document in (False, 1.5, ["1"]):
        call = {"customer_key": "acme", "document_id": document}
        with pytest.raises(InvalidDocument, match=r"process is called with document_id=.*give a s"):
            TASK.subject_of([], call, function=None)
    given = PrioritizedTask("process", "customer_key", lambda call: [call["document_id"]])
    with pytest.raises(InvalidDocument, match=r"process is called, and .*lambda> gives \['1'\]"):
        given.subject_of(["acme", "1"], {}, function=process)
    # As is a call that can only fail.
    for args, kwargs, said in [
        (["acme"], {}, "process: missing a required argument: 'document_id'"),
        (["acme", "1", 2, 3], {}, "process: too many positional arguments"),
        (["acme", "1"], {"copy": 2}, "process: got an unexpected keyword argument 'copy'"),
    ]:
        with pytest.raises(TypeError, match=said):
            TASK.refuse_misfit(args, kwargs, function=process)
    TASK.refuse_misfit(["acme"], {"document_id": "1"}, function=process)


def test_a_customer_within_an_argument() -> None:
    for where in ("overrides.owner_id", owner_of):
        task = PrioritizedTask("consume", where, document=lambda call: call["source"].upper())
        for args, kwargs in [
            (["a.pdf", Overrides(7)], {}),
            (["a.pdf"], {"overrides": Overrides(7)}),
            ([], {"source": "a.pdf", "overrides": Overrides(7)}),
        ]:
            assert task.subject_of(args, kwargs, function=consume) == Subject("7", "A.PDF")
    # A path leads through attributes and keys.
    task = PrioritizedTask("consume", "call.user.id", document="call.file")
    call = SimpleNamespace(user={"id": "acme"})
    assert task.subject_of([], {"call": call}, function=None) == Subject("acme", "")
    call = {"user": SimpleNamespace(id="acme"), "file": "a.pdf"}
    assert task.subject_of([], {"call": call}, function=None) == Subject("acme", "a.pdf")

    # A function may be any that takes one thing.
    def get(call: Mapping[str, Any], name: str) -> Any:
        return call[name]

    for where in (itemgetter("customer_key"), partial(get, name="customer_key")):
        task = PrioritizedTask("process", where)
        assert task.subject_of(["acme", "1"], {}, function=process) == Subject("acme", "")
    mistaken = PrioritizedTask("consume", lambda call: call["nobody"], missing="unprioritised")
    with pytest.raises(KeyError, match="nobody"):  # a mistake of the portal's is its own
        mistaken.subject_of(["a.pdf"], {}, function=consume)


def test_terms_that_tell_nothing_are_refused() -> None:
    async def in_its_own_time(call: Mapping[str, Any]) -> str:
        return "acme"

    name = "'process'.*{}.*name of the task's argument"
    no_function = "{}=.* which cannot be called with one thing"
    no_function_at_all = [lambda: "acme", process, in_its_own_time, str, Customer]
    for terms, said in [
        ({"name": process}, r"task\.name"),
        ({"name": None}, r"task\.name"),
        ({"name": ""}, r"task\.name"),
        ({"customer": ""}, name.format("customer=''")),
        ({"customer": None}, name.format("customer=None")),
        ({"customer": 5}, name.format("customer=5")),
        ({"document": None}, name.format("document=None")),
        ({"document": 5}, name.format("document=5")),
        *(({"customer": one}, no_function.format("customer")) for one in no_function_at_all),
        *(({"document": one}, no_function.format("document")) for one in no_function_at_all),
        ({"missing": "user/1"}, "neither 'raise' nor 'unprioritised' nor a customer's key"),
        ({"missing": ""}, "neither 'raise'"),
        ({"missing": None}, "neither 'raise'"),
        ({"missing": "unprioritized"}, "write 'unprioritised'"),
        ({"missing": "Raise"}, "write 'raise'"),
    ]:
        given: dict[str, Any] = {"name": "process", "customer": "customer_key", **terms}
        with pytest.raises(InvalidInput, match=said):
            PrioritizedTask(**given)


def test_a_call_without_a_customer(caplog: pytest.LogCaptureFixture) -> None:
    """It is refused, unless it is said what becomes of it."""
    for kwargs in ({}, {"overrides": None}, {"overrides": Overrides(None)}):
        for where, said in [
            ("overrides.owner_id", r"consume is .* overrides.owner_id=None.*overrides=…"),
            (owner_of, "consume is called, and owner_of gives None"),
        ]:
            with pytest.raises(InvalidKey, match=said):
                PrioritizedTask("consume", where).subject_of(["a.pdf"], kwargs, function=consume)
    caplog.set_level("INFO")
    for owner in (None, "", "user/1", "a b", "héllo", "x" * 65, "..", 1.5, True, object()):
        call = {"kwargs": {"overrides": Overrides(owner)}, "function": consume}
        for_all = PrioritizedTask("consume", "overrides.owner_id", "source", missing="mail:room")
        assert for_all.subject_of(["a.pdf"], **call) == Subject("mail:room", "a.pdf")
        assert not caplog.records
        as_ever = PrioritizedTask("consume", "overrides.owner_id", missing="unprioritised")
        assert as_ever.subject_of(["a.pdf"], **call) is None
        (record,) = caplog.records
        assert (record.action, record.task) == ("unprioritised", "consume")
        assert record.message.endswith("a priority: overrides.owner_id gives no customer's key")
        caplog.clear()
    # Arguments by place, of a task unknown here, are warned of.
    task = PrioritizedTask("process", "customer_key", missing="mail:room")
    assert task.subject_of(["acme"], {}, function=None) == Subject("mail:room", "")
    (record,) = caplog.records
    assert (record.action, record.levelname) == ("arguments_unplaced", "WARNING")
    assert task.subject_of([], {"customer_key": "acme"}, function=None) == Subject("acme", "")
    assert len(caplog.records) == 1


def test_what_can_be_no_key_raises_a_doubt() -> None:
    """A path is looked for where it is known."""

    def annotated(annotation: Any) -> Any:
        def function(given: Any) -> None: ...

        function.__annotations__ = {} if annotation is Parameter.empty else {"given": annotation}
        return function

    for annotation in (
        str,
        "str | None",
        Optional[int],  # noqa: UP045  # is another kind of union
        UUID | Overrides,
        Annotated[str, "a key"],
        Literal["a", 1],
        NewType("Key", str),
        StrEnum("Letter", ["A"]),
        Any,
        object,
        TypeVar("T"),
        Parameter.empty,
        "Imported.By[TypeCheckers, Only]",
    ):
        assert doubt_about(annotated(annotation), "given") == ""
    for annotation, shown in [
        (Overrides, "Overrides"),
        ("Overrides | None", "Overrides | None"),
        (bool, "bool"),
        (float, "float"),
        (None, "NoneType"),
        (list[str], "list[str]"),
        (Literal[1.5], "Literal[1.5]"),
    ]:
        doubt = doubt_about(annotated(annotation), "given")
        assert doubt.startswith("given: ")
        assert doubt.endswith(f"{shown} is no text, number or UUID")
        assert doubt_about(annotated(annotation), lambda call: call["given"]) == ""

    @dataclass
    class Letters:
        first: Overrides
        tags: list[int]

    @dataclass
    class Unresolved:
        tags: "Imported.By[TypeCheckers, Only]"  # noqa: F821

    class Upload:
        """Nobody knows what it has."""

    for annotation, path, doubt in [
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
    ]:
        found = doubt_about(annotated(annotation), path)
        assert found.endswith(doubt), path
        assert (found == "") == (doubt == "")
