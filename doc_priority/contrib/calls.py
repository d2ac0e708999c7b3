"""The customer and the document of a call of a task."""

import inspect
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints
from uuid import UUID, uuid5

from django.db.models import Model

from doc_priority.exceptions import (
    InvalidDocument,
    InvalidInput,
    InvalidKey,
    TaskPrioritizedOtherwise,
)
from doc_priority.validation import is_key, shortened

logger = logging.getLogger("doc_priority")

Where = str | Callable[[Mapping[str, Any]], Any]
"""Where a call has its customer or its document.

"customer_key" is an argument, "overrides.owner_id" an attribute or a key of one. A function gets
all arguments by their names, those that were left out with their defaults.
"""

WHERE_HINT = (
    "Give a path to what is one, such as 'overrides.owner_id', or a function of the call's "
    "arguments."
)

TERMS = ("customer", "document", "missing")
RAISE = "raise"
UNPRIORITISED = "unprioritised"

NAMESPACE = UUID("8f4a1c1e-6f0b-5d1a-9d0e-0d0c9a3b7e55")
"""Of the ids that tasks get by their document."""

BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)

_signature_of = lru_cache(maxsize=256)(inspect.signature)


class Subject(NamedTuple):
    """The customer and the document of a call; the document is empty if the call names none."""

    customer: str
    document: str


class Misfit(NamedTuple):
    """Why calls cannot, or may not, have their customer or document where the portal says."""

    key: str
    where: Where
    names: tuple[str, ...]
    problem: str = ""
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class PrioritizedTask:
    """A task, and where its calls have their customer and document.

    And what becomes of a call without a customer: an error, a call without a priority, or one of
    the customer that stands for all of them.
    """

    name: str
    customer: Where
    document: Where = ""
    missing: str = RAISE

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidInput(
                f"{shortened(self.name)} is not the name of a task; give a text such as "
                "'portal.tasks.process', or task.name of the task itself."
            )
        for key in TERMS:
            value = getattr(self, key)
            problem = "" if key == "document" and value == "" else problem_with(key, value)
            if problem:
                raise InvalidInput(
                    f"The task {shortened(self.name)} is given to prioritize with {key}="
                    f"{shortened(value, 80)}, {problem}"
                )

    def subject_of(
        self,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        *,
        function: Callable[..., Any] | None,
    ) -> Subject | None:
        """The subject of this call; None if the call gets no priority.

        The function tells what stands in which place, and for an argument that was left out.
        """
        if args and function is None and self.missing != RAISE:
            logger.warning(
                "%s is called with arguments by place, and its code is not known here: a customer "
                "among them is not seen. Give them by name.",
                self.name,
                extra={"action": "arguments_unplaced", "task": self.name},
            )
        parameters = () if function is None else _signature_of(function).parameters.values()
        left_out = {one.name: one.default for one in parameters if one.default is not one.empty}
        places = [one.name for one in parameters if one.kind in BY_PLACE]
        given = {**left_out, **dict(zip(places, args, strict=False)), **kwargs}
        customer = self._customer_in(given)
        return None if customer == "" else Subject(customer, self._document_in(given))

    def id_of(self, subject: Subject) -> UUID | None:
        """An id that is always the same for the same document; None without a document."""
        if subject.document == "":
            return None
        return uuid5(NAMESPACE, "\n".join((self.name, subject.customer, subject.document)))

    def misfits(
        self, function: Callable[..., Any], *, takes_context: bool = False
    ) -> Iterator[Misfit]:
        """The misfits between the terms and this function, for system checks.

        The context, which only a worker gives, comes first.
        """
        parameters = list(inspect.signature(function).parameters.values())
        context = parameters.pop(0).name if takes_context and parameters else ""
        takes_any = any(one.kind == one.VAR_KEYWORD for one in parameters)
        names = tuple(one.name for one in parameters)
        for key, where in (("customer", self.customer), ("document", self.document)):
            argument = argument_of(where)
            if argument and argument == context:
                problem = "the context, which the worker gives and callers cannot"
                yield Misfit(key, where, names, problem=problem)
            elif argument and argument not in names and not takes_any:
                problem = "an argument that the task does not have"
                yield Misfit(key, where, names, problem=problem)
            elif doubt := doubt_about(function, where):
                yield Misfit(key, where, names, doubt=doubt)

    def refuse_misfit(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], *, function: Callable[..., Any]
    ) -> None:
        """Raise the function's own TypeError before a document is counted whose call must fail.

        The context, if the function takes one, stands in the first place.
        """
        # Not the signature of what a decorator wrapped: it may give arguments of its own.
        try:
            _signature_of(function, follow_wrapped=False).bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}") from error

    def _customer_in(self, given: Mapping[str, Any]) -> str:
        """The customer's key, or the key for calls without a customer; empty for no priority."""
        value = _value_at(self.customer, given)
        if _is_text_or_number(value) and is_key(str(value)):
            return str(value)
        if self.missing == RAISE:
            by_name = ""
            if not callable(self.customer):
                by_name = (
                    f"Call it with {argument_of(self.customer)}=…, by that name where the caller "
                    "does not know the task's code. "
                )
            raise InvalidKey(
                f"{self._call_with(self.customer, value)}, which is no customer's key. {by_name}"
                f"{InvalidKey.__doc__} `missing` of prioritize says what else may become of calls "
                "without one."
            )
        if self.missing != UNPRIORITISED:
            return self.missing
        logger.info(  # without the value, which may be somebody's name
            "%s is sent without a priority: %s gives no customer's key",
            self.name,
            _written(self.customer),
            extra={"action": "unprioritised", "task": self.name},
        )
        return ""

    def _document_in(self, given: Mapping[str, Any]) -> str:
        value = _value_at(self.document, given) if self.document else None
        if value is None:
            return ""
        if not _is_text_or_number(value):
            raise InvalidDocument(
                f"{self._call_with(self.document, value)}, which is no document's id; give a str, "
                "an int or a UUID."
            )
        return str(value)

    def _call_with(self, where: Where, value: object) -> str:
        """What was called, and with what, for messages."""
        shown = shortened(value, 80)
        if callable(where):
            return f"{self.name} is called, and {_written(where)} gives {shown}"
        return f"{self.name} is called with {where}={shown}"


def problem_with(key: str, value: object) -> str:
    """What is wrong with this one of the `TERMS`; empty if nothing is."""
    if key == "missing":
        return _problem_with_missing(value)
    if isinstance(value, str) and all(value.split(".")):
        return ""
    if not callable(value):
        return (
            "which tells none; give the name of the task's argument that has it, as text, a path "
            "from one such as 'overrides.owner_id', or a function of the call's arguments."
        )
    # A class, a task or a coroutine given by mistake would be found at the first call only.
    fits = not isinstance(value, type) and not inspect.iscoroutinefunction(value)
    try:
        inspect.signature(value).bind({})
    except TypeError:
        fits = False
    except ValueError:
        pass  # one of Python's own, such as an itemgetter, which tells no arguments
    if fits:
        return ""
    return (
        "which cannot be called with one thing, a dict of the call's arguments, and give the value "
        "at once; give such a function, or the name of the task's argument, as text."
    )


def _problem_with_missing(missing: object) -> str:
    if missing in (RAISE, UNPRIORITISED):
        return ""
    if isinstance(missing, str):
        meant = missing.lower().replace("z", "s")
        if meant in (RAISE, UNPRIORITISED):
            return f"which would be a customer of that name; write {meant!r}."
        if is_key(missing):
            return ""
    return (
        f"which is neither {RAISE!r} nor {UNPRIORITISED!r} nor a customer's key that stands for "
        "all calls without one."
    )


def argument_of(where: Where) -> str:
    """The argument at the start of a path; empty for a function, which gets all arguments."""
    return "" if callable(where) else where.partition(".")[0]


def _value_at(where: Where, given: Mapping[str, Any]) -> Any:
    """The value at the path; None if a step is missing, as in `overrides.owner_id` of None."""
    if callable(where):
        return where(given)
    name, *steps = where.split(".")
    value = given.get(name)
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else getattr(value, step, None)
    return value


def _written(where: Where) -> str:
    """The path as the portal wrote it, or the function's name."""
    return where if isinstance(where, str) else getattr(where, "__qualname__", repr(where))


def add_task(tasks: dict[str, PrioritizedTask], task: PrioritizedTask) -> None:
    """Add a prioritised task; adding the same task with the same terms again does nothing."""
    known = tasks.setdefault(task.name, task)
    if known != task:
        raise TaskPrioritizedOtherwise(
            f"{task.name} is prioritised by {_terms_of(known)} already, and now by "
            f"{_terms_of(task)}. Call prioritize() once for each task."
        )


def _terms_of(task: PrioritizedTask) -> str:
    missing = "" if task.missing == RAISE else f", missing={task.missing!r}"
    return f"customer={task.customer!r}, document={task.document!r}{missing}"


def doubt_about(function: Callable[..., Any], where: Where) -> str:
    """Why the function's annotations exclude the value there; empty if they allow it."""
    if callable(where):
        return ""
    argument, *steps = where.split(".")
    annotation = _annotation_of(function, argument)
    shown = f"{argument}: {inspect.formatannotation(annotation)}"
    kinds = _kinds_of(annotation)
    for step in steps:
        if not any(_may_have(kind, step) for kind in kinds):
            return f"{shown} has no {step!r}"
        shown = where
        # How a field of a dataclass is annotated is known; of anything else nobody knows.
        annotations = [_annotation_of(one, step) if is_dataclass(one) else Any for one in kinds]
        kinds = [kind for annotation in annotations for kind in _kinds_of(annotation)]
    if not any(map(_may_be_text_or_number, kinds)):
        return f"{shown} is no text, number or UUID"
    return ""


def _annotation_of(annotated: Any, name: str) -> Any:
    """The annotation; Any if it names something that only a type checker imports."""
    try:
        return get_type_hints(annotated).get(name, Any)
    except (AttributeError, NameError, SyntaxError, TypeError):
        return Any


def _kinds_of(annotation: Any) -> list[Any]:
    """The types of a union, without None."""
    is_union = get_origin(annotation) in (Union, UnionType)
    kinds = get_args(annotation) if is_union else [annotation]
    return [kind for kind in kinds if kind is not NoneType]


def _may_be_text_or_number(kind: Any) -> bool:
    """Whether the type can be text or a number; Any and type variables can."""
    kind = getattr(kind, "__supertype__", kind)  # of a NewType
    if get_origin(kind) is Literal:
        return all(map(_is_text_or_number, get_args(kind)))
    if isinstance(kind, type) and kind not in (Any, object):
        return issubclass(kind, str | int | UUID) and kind is not bool
    return get_origin(kind) is None


def _may_have(kind: Any, name: str) -> bool:
    """Whether the type may have this attribute; known for dataclasses and models only."""
    if isinstance(kind, type) and (is_dataclass(kind) or issubclass(kind, Model)):
        return hasattr(kind, name) or name in getattr(kind, "__dataclass_fields__", ())
    return True


def _is_text_or_number(value: Any) -> bool:
    """A bool is a number in Python, but no key."""
    return isinstance(value, str | int | UUID) and not isinstance(value, bool)
