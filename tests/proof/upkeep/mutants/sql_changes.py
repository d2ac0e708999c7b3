"""Which small bugs a text of SQL can have."""

import re
from collections.abc import Iterator
from typing import NamedTuple

SQL = re.compile(
    r"\b(?:CASE|COALESCE|DELETE|DROP|EXTRACT|GREATEST|IF|INSERT|JSON_TABLE|MAX|SELECT|SET"
    r"|TIMESTAMPDIFF|UPDATE|WHEN|IS NULL)\b|doc_priority_counter\."
)
"""What makes a text one."""

_REPLACED = {
    r"<=": "<",
    r"(?<![<>])<(?![<>=])": "<=",
    r"(?<![<>])>=": ">",
    r"(?<![<>])>(?![<>=])": ">=",
    r"<>": "=",
    r"(?<=\s)\+(?=\s)": "-",
    r"(?<=\s)-(?=\s)": "+",
    r"-(?=\(|CAST)": "",
    r"(?<=\s)\*(?=\s)": "/",
    r"(?<=\s)/(?=\s)": "*",
    r"\bDIV\b": "*",
    r">>": "<<",
    r"\bLEAST\(": "GREATEST(",
    r"\bGREATEST\(": "LEAST(",
    r"\bMIN\(": "MAX(",
    r"\bMAX\(": "MIN(",
    r"\bAND\b": "OR",
    r"\bOR\b": "AND",
    r"\bIS NULL\b": "IS NOT NULL",
    r"\bIS NOT NULL\b": "IS NULL",
    r"\btrue\b": "false",
    r"\bfalse\b": "true",
    r"\bLEFT JOIN\b": "JOIN",
    r"\bFOR (?:NO KEY )?UPDATE(?: OF \w)?": "",
    r"\bFOR KEY SHARE": "",
    r"\bORDER BY [\w.]+(?: COLLATE \"C\")?": "",
    r"\bFORCE INDEX \(PRIMARY\)": "",
    r"\bclock_timestamp\(\)": "now()",
    r"\bSYSDATE\(6\)": "NOW(6)",
    r"'(?:idle|window|halving)'": "'other'",
}
"""What is written, and what is written instead."""

_COMPARED = re.compile(r"\b(?:AND|ELSIF|IF|ON|OR|WHEN|WHERE)\s+\(*[\w.@]+\s+(=)(?=\s)")
"""Elsewhere the sign assigns."""

_NUMBER = re.compile(r"(?<![\w'\"$%.:{-])\d+(?![\w'\"]|:\d)")

_NOT_READ = re.compile(r"--[^\n]*|'[+$][^']*'|(?:VARCHAR|SYSDATE)\(\d+\)")
"""Comments, paths and time zones, and lengths that nothing reaches."""


class Replacement(NamedTuple):
    """Of the text from start to end, by another one."""

    start: int
    end: int
    by: str

    def done(self, text: str) -> str:
        return text[: self.start] + self.by + text[self.end :]


def replacements(text: str) -> Iterator[Replacement]:
    """Every single one, from the beginning to the end of the text."""
    left_out = [found.span() for found in _NOT_READ.finditer(text)]
    for one in sorted({*_words(text), *_equal_signs(text), *_numbers(text)}):
        is_read = not any(start <= one.start < end for start, end in left_out)
        if is_read or one.by == "NOW(6)":
            yield one


def _words(text: str) -> Iterator[Replacement]:
    for written, instead in _REPLACED.items():
        for found in re.finditer(written, text):
            yield Replacement(*found.span(), instead)


def _equal_signs(text: str) -> Iterator[Replacement]:
    for found in _COMPARED.finditer(text):
        yield Replacement(*found.span(1), "<>")


def _numbers(text: str) -> Iterator[Replacement]:
    for found in _NUMBER.finditer(text):
        yield Replacement(*found.span(), str(int(found[0]) + 1))
