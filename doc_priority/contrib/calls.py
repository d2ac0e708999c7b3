"""Which customer and which document a call of a task is for."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from doc_priority.exceptions import (
    InvalidDocument,
    InvalidInput,
    InvalidKey,
    TaskPrioritizedOtherwise,
)
from doc_priority.shortening import shortened

NAMESPACE = UUID("8f4a1c1e-6f0b-5d1a-9d0e-0d0c9a3b7e55")
"""Of the ids that tasks get by their document."""


class Subject(NamedTuple):
    """Whose document, and which; the document is empty when the call names none."""

    customer: str
    document: str


class Arguments(NamedTuple):
    """What callers of a task may give, and the name of what only a worker gives."""

    names: tuple[str, ...]
    context: str
    takes_any: bool

    def problem_with(self, name: str) -> str:
        """What an argument of this name is, if callers cannot give it; else nothing."""
        if name and name == self.context:
            return "the context, which the worker gives and callers cannot"
        if name and name not in self.names and not self.takes_any:
            return "an argument that the task does not have"
        return ""


@dataclass(frozen=True, slots=True)
class PrioritizedTask:
    """A task, and the arguments of it that name the customer and, perhaps, the document."""

    name: str
    customer: str
    document: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidInput(
                f"{shortened(self.name)} is not the name of a task; give a text such as "
                "'portal.tasks.process', or task.name of the task itself."
            )
        self._require_name("customer", self.customer, is_given=self.customer != "")
        self._require_name("document", self.document, is_given=True)

    def subject_of(
        self,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        *,
        function: Callable[..., Any] | None,
    ) -> Subject:
        """Whom and what this call is for; the function tells what stands in which place.

        And what stands for an argument that was left out.
        """
        left_out = {} if function is None else _defaults_of(function)
        given = {**left_out, **self._placed(args, function), **kwargs}
        return Subject(self._customer_in(given), self._document_in(given))

    def id_of(self, subject: Subject) -> UUID | None:
        """The same for the same document every time; None without one."""
        if subject.document == "":
            return None
        return uuid5(NAMESPACE, "\n".join((self.name, subject.customer, subject.document)))

    def refuse_misfit(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], *, function: Callable[..., Any]
    ) -> None:
        """Raise TypeError, as the function itself would, before a call is charged that must fail.

        The context, if the function takes one, stands in the first place.
        """
        try:
            _own_signature_of(function).bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}") from error

    def _require_name(self, key: str, name: object, *, is_given: bool) -> None:
        if not isinstance(name, str) or not is_given:
            raise InvalidInput(
                f"The task {shortened(self.name)} is prioritised by {key}="
                f"{shortened(name, 80)}; give the name of the task's argument that has it, as text."
            )

    def _placed(
        self, args: Sequence[Any], function: Callable[..., Any] | None
    ) -> Mapping[str, Any]:
        if not args or function is None:
            return {}
        return dict(zip(_places_of(function), args, strict=False))

    def _customer_in(self, given: Mapping[str, Any]) -> str:
        value = given.get(self.customer)
        if not _is_text_or_number(value) or value == "":
            raise InvalidKey(
                f"{self.name} is called with {self.customer}={shortened(value, 80)}, which is no "
                f"customer's key. Call it with {self.customer}=…, by that name where "
                "the caller does not know the task's code."
            )
        return str(value)

    def _document_in(self, given: Mapping[str, Any]) -> str:
        value = given.get(self.document) if self.document else None
        if value is None:
            return ""
        if not _is_text_or_number(value):
            raise InvalidDocument(
                f"{self.name} is called with {self.document}={shortened(value, 80)}, which is no "
                "document's id; give a str, an int or a UUID."
            )
        return str(value)


def add_task(tasks: dict[str, PrioritizedTask], task: PrioritizedTask) -> None:
    """Put the task among those that are prioritised; twice in the same words is once."""
    known = tasks.setdefault(task.name, task)
    if known != task:
        raise TaskPrioritizedOtherwise(
            f"{task.name} is prioritised by customer={known.customer!r}, "
            f"document={known.document!r} already, and now by customer={task.customer!r}, "
            f"document={task.document!r}. Call prioritize() once for each task."
        )


def arguments_of(function: Callable[..., Any], *, takes_context: bool) -> Arguments:
    """Of the function of a task; a context comes first."""
    parameters = list(inspect.signature(function).parameters.values())
    context = parameters.pop(0).name if takes_context and parameters else ""
    takes_any = any(one.kind == one.VAR_KEYWORD for one in parameters)
    return Arguments(tuple(one.name for one in parameters), context, takes_any)


def _is_text_or_number(value: Any) -> bool:
    """A bool is a number to Python, and True nobody's key."""
    return isinstance(value, str | int | UUID) and not isinstance(value, bool)


@lru_cache(maxsize=256)
def _own_signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Not of what a decorator wrapped: it may give arguments of its own."""
    return inspect.signature(function, follow_wrapped=False)


@lru_cache(maxsize=256)
def _defaults_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not one.empty}


@lru_cache(maxsize=256)
def _places_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the arguments that can be given by their place."""
    parameters = inspect.signature(function).parameters.values()
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(one.name for one in parameters if one.kind in by_place)
