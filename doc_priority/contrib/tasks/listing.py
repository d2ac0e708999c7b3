"""Which tasks are given a priority: what `prioritize` in a backend's options says."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from doc_priority.contrib.calls import (
    RAISE,
    PrioritizedTask,
    problem_with_missing,
    problem_with_where,
)
from doc_priority.shortening import shortened

OPTION = "prioritize"
TERMS = ("customer", "document", "missing")
EXAMPLE = (
    "'OPTIONS': {'prioritize': {'portal.tasks.process': "
    "{'customer': 'customer_key', 'document': 'document_id'}}}"
)


def listed_tasks(alias: str, options: Any) -> Mapping[str, PrioritizedTask]:
    """The tasks by their path; what is misshapen is refused, all of it."""
    problems = list(problems_with(alias, options))
    if problems:
        raise ImproperlyConfigured(f"{' '.join(problems)} Write {EXAMPLE}.")
    return {path: PrioritizedTask(path, **names) for path, names in options[OPTION].items()}


def problems_with(alias: str, options: Any) -> Iterator[str]:
    """What is wrong with the shape of `prioritize`, a sentence each."""
    place = f"TASKS[{alias!r}]['OPTIONS']"
    given = options.get(OPTION) if isinstance(options, dict) else None
    if given is None:
        yield f"{place} has no {OPTION!r}{_instead(options)}, so no task gets a priority."
    elif not isinstance(given, dict) or not given:
        yield f"{place}[{OPTION!r}] is {shortened(given)}, not a dict with a task in it."
    else:
        for path, names in given.items():
            yield from _problems_with_names(f"{place}[{OPTION!r}][{shortened(path)}]", path, names)


def _problems_with_names(place: str, path: Any, names: Any) -> Iterator[str]:
    if not isinstance(path, str):
        yield f"{place}: the task is not named by its dotted path."
    if not isinstance(names, dict):
        yield f"{place} is {shortened(names)}, not a dict of arguments' names."
        return
    for key in names:
        if key not in TERMS:
            meant = nearest(key, TERMS)
            yield f"{place} has an unknown key {shortened(key, 80)}; did you mean {meant}?"
    if "customer" not in names:
        yield f"{place} does not say which argument names the customer."
    yield from _problems_with_terms(place, names)


def _problems_with_terms(place: str, names: dict[str, Any]) -> Iterator[str]:
    for key in ("customer", "document"):
        problem = problem_with_where(names[key]) if key in names else ""
        if problem:
            yield f"{place}[{key!r}] is {shortened(names[key], 80)}, {problem}"
    missing = names.get("missing", RAISE)
    other_problem = problem_with_missing(missing)
    if other_problem:
        yield f"{place}['missing'] is {shortened(missing, 80)}, {other_problem}"


def _instead(options: Any) -> str:
    similar = get_close_matches(OPTION, map(str, options or ()), n=1)
    return f" (but {similar[0]!r})" if similar else ""


def nearest(name: object, known: Any) -> str:
    """The known name that is most like this one, quoted."""
    return repr(get_close_matches(str(name).lower(), list(known), n=1, cutoff=0)[0])
