"""How every problem document must look."""

import json
from typing import Any

from doc_priority.api.problems import title_of

Problem = dict[str, Any]


def assert_problem(answer: Any, status: int, code: str) -> Problem:
    """It is one, as RFC 9457 has it, with our members and no others."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    problem: Problem = json.loads(answer.content)
    assert list(problem) == ["type", "title", "status", "detail", "code", "errors"]
    assert (problem["type"], problem["title"]) == ("about:blank", title_of(status))
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["detail"].endswith((".", ".)"))
    for error in problem["errors"]:
        assert list(error) == ["pointer", "code", "detail"]
    return problem


def assert_refused(answer: Any, status: int, code: str, *pointers: str) -> None:
    """It is a problem with these values and no others."""
    problem = assert_problem(answer, status, code)
    assert [error["pointer"] for error in problem["errors"]] == list(pointers)
