"""What code and templates say to people without having it translated."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple

from django.template.base import Lexer, TokenType

SHOWN_BY_NAME = frozenset(
    {
        "description",
        "empty_label",
        "empty_text",
        "error_message",
        "help_text",
        "label",
        "message",
        "placeholder",
        "short_description",
        "site_header",
        "site_title",
        "subtitle",
        "title",
        "verbose_name",
        "verbose_name_plural",
        "violation_error_message",
    }
)
"""Arguments and names of classes and contexts that end on a page."""

SHOWN_FIRST = frozenset({"Http404", "PermissionDenied", "ValidationError"})
"""Calls whose first argument is shown."""

SHOWN_SECOND = frozenset(
    ["add_error", "debug", "error", "info", "message_user", "success", "warning"]
)
"""Methods of `messages`, of forms and of the admin that show their second one."""

SPEAKERS = frozenset({"messages", "form", "self", "model_admin"})
"""Whose methods those are; a logger speaks to nobody here."""

CHOICES = frozenset({"Choices", "IntegerChoices", "TextChoices"})
FIELDS = re.compile(r"(Field|ForeignKey)$")

ATTRIBUTES = frozenset(
    {
        "abbr",
        "alt",
        "aria-description",
        "aria-label",
        "content-label",
        "data-label",
        "label",
        "placeholder",
        "title",
    }
)
FOR_READERS = frozenset({"description", "og:title", "og:description"})
"""Names of `meta` whose content somebody reads."""
CODE = frozenset({"code", "pre", "script", "style"})

_LETTERS = re.compile(r"[^\W\d_]{2,}")
_SAID_BY_A_FILTER = re.compile(
    r"\|(?:add|default|default_if_none|yesno|pluralize):(\"[^\"]*\"|'[^']*')"
)


_NAMED = re.compile(r"\w=(\"[^\"]*\"|'[^']*')")
_HANDED_ON = {
    "firstof": re.compile(r"(?<!\()(\"[^\"]*\"|'[^']*')"),
    "include": _NAMED,
    "with": _NAMED,
}


class Found(NamedTuple):
    """A text nobody can translate."""

    line: int
    text: str


def in_code(source: str) -> Iterator[Found]:
    """Literal texts where something is shown; what `_(…)` gives is none."""
    for node in ast.walk(ast.parse(source)):
        for shown in _shown(node):
            if (text := _literal(shown)) is not None and _LETTERS.search(text):
                yield Found(shown.lineno, text)


def _shown(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Call():
            yield from _of_call(node)
        case ast.ClassDef(bases=bases, body=body) if any(_name(one) in CHOICES for one in bases):
            yield from (_label(one.value) for one in body if isinstance(one, ast.Assign))
        case ast.Assign(targets=[target], value=value) if _name(target) in SHOWN_BY_NAME:
            yield value
        case ast.Dict(keys=keys, values=values):
            named = zip(keys, values, strict=True)
            yield from (value for key, value in named if _is_shown(key))


def _is_shown(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and key.value in SHOWN_BY_NAME


def _of_call(call: ast.Call) -> Iterator[ast.expr]:
    name = _name(call.func)
    yield from (one.value for one in call.keywords if one.arg in SHOWN_BY_NAME)
    if name in SHOWN_FIRST:
        yield from call.args[:1]
    if name in SHOWN_SECOND and _name(getattr(call.func, "value", call.func)) in SPEAKERS:
        yield from call.args[1:2]
    if FIELDS.search(name) and _name(getattr(call.func, "value", call.func)) == "models":
        yield from call.args[: 0 if name == "ForeignKey" else 1]


def _label(value: ast.expr) -> ast.expr:
    """Of `"value", "Label"` the label; a value alone is shown as it is written."""
    return value.elts[1] if isinstance(value, ast.Tuple) and len(value.elts) > 1 else value


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _literal(node: ast.expr) -> str | None:
    """The text that is written there, as it stands, formatted or put together."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return " ".join(_literal(value) or "" for value in values)
        case ast.BinOp(left=left):
            return _literal(left)
        case ast.IfExp(body=body, orelse=other):
            return _literal(body) or _literal(other)
    return None


def in_template(source: str) -> Iterator[Found]:
    """Literal texts and attributes between the tags, but not what `blocktranslate` has."""
    reader = _Reader()
    ends_at = ""
    for token in Lexer(source).tokenize():
        match token.token_type:
            case TokenType.BLOCK:
                words = token.contents.split()
                ends_at = "" if words[0] == ends_at else ends_at or _end_of(words)
                yield from _of_filters(token.contents, token.lineno or 0)
                yield from _of_tag(token.contents, token.lineno or 0)
            case TokenType.VAR:
                yield from _of_filters(token.contents, token.lineno or 0)
            case TokenType.TEXT if not ends_at:
                reader.feed(token.contents)
            case TokenType.TEXT:
                # The lines count, the words do not.
                reader.feed("\n" * token.contents.count("\n"))
    reader.close()
    yield from reader.found


def _end_of(words: list[str]) -> str:
    """The tag that ends what is translated or not shown; empty for other tags."""
    match words:
        case ["blocktranslate" | "comment" as name, *_]:
            return f"end{name}"
        case ["block", "bodyclass" | "coltype"]:
            return "endblock"
    return ""


def _of_tag(contents: str, line: int) -> Iterator[Found]:
    """What a tag hands on or prints; what `_(…)` gives is none."""
    name, _, rest = contents.partition(" ")
    for quoted in _HANDED_ON[name].findall(rest) if name in _HANDED_ON else ():
        if _LETTERS.search(quoted):
            yield Found(line, quoted.strip("\"'"))


def _of_filters(contents: str, line: int) -> Iterator[Found]:
    for quoted in _SAID_BY_A_FILTER.findall(contents):
        if _LETTERS.search(quoted):
            yield Found(line, quoted.strip("\"'"))


def _also_shown(tag: str, attributes: dict[str, str]) -> set[str]:
    kind = attributes.get("type")
    if tag == "button" or (tag == "input" and kind in ("button", "reset", "submit")):
        return {"value"}
    names = {attributes.get("name"), attributes.get("property")}
    return {"content"} if tag == "meta" and names & FOR_READERS else set()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Found] = []
        self._code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._code += tag in CODE
        attributes = {name: value or "" for name, value in attrs}
        shown = ATTRIBUTES | _also_shown(tag, attributes)
        for name, value in attributes.items():
            if name in shown:
                self._say(value)

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in CODE

    def handle_data(self, data: str) -> None:
        if not self._code:
            self._say(data)

    def _say(self, text: str) -> None:
        text = " ".join(text.split())
        if _LETTERS.search(text):
            self.found.append(Found(self.getpos()[0], text))
