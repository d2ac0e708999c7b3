"""Text as a search compares it: without case and accents, in the same way on every database.

PostgreSQL, MariaDB and SQLite agree neither on the lower case of a letter beyond ASCII nor on the
letter below an accent, and each would need something of its own to store a folded text. So the
stored text stays as it is, and what is searched for becomes a regular expression that names every
letter it stands for. All three read it in the same way.
"""

import re
import unicodedata
from collections import defaultdict
from functools import cache, lru_cache
from itertools import groupby
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Func, IntegerField, Q
from django.db.models.functions import Length
from django.db.models.lookups import Contains, GreaterThan, Regex
from django.db.models.sql.compiler import SQLCompiler

LONGEST = 300
"""No text that is searched is longer."""

LETTERS = (*range(0x41, 0xFB00), *range(0xFF21, 0xFF5B))
"""Where to look for them: not among the ligatures of typesetters."""

WITHOUT_ACCENT = dict(zip("øłđðħŧ\u0131", "olddhti", strict=True)) | {
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
}
"""Letters that people type like this and in which Unicode sees no accent."""

ALSO_SPELLED = {"aa": "åÅ", "ae": "äÄ", "oe": "öÖøØ", "ue": "üÜ"}
"""What people type instead who write these letters without their accents."""

ACCENTS = "\u0300-\u036f"
"""Those that stand behind their letter as characters of their own."""


def folded(text: str) -> str:
    """`Łódź` is `lodz`, and `STRASSE` is `strasse` like `Straße`."""
    apart = unicodedata.normalize("NFD", text.casefold())
    plain = (letter for letter in apart if not "\u0300" <= letter <= "\u036f")
    return "".join(WITHOUT_ACCENT.get(letter, letter) for letter in plain)


def contains_folded(text: Any, searched: str) -> Q:
    """A condition: `text`, an expression in lower case, has this in it but for case and accents.

    A text of nothing but ASCII is compared as it is, and any other must have the digits and signs
    as they are: a regular expression for all would take four times as long on PostgreSQL, and on
    SQLite twenty times.
    """
    wanted = folded(searched)
    if len(wanted) > LONGEST:
        return Q(pk__in=[])
    is_more_than_ascii = GreaterThan(OctetLength(text), Length(text))
    without_letters = max(re.split("[^\0-@]+", wanted), key=len)
    return Q(Contains(text, wanted)) | Q(
        is_more_than_ascii,
        Contains(text, without_letters),
        Matches(text, pattern_of(wanted)),
    )


class OctetLength(Func):
    """The bytes of a text in UTF-8."""

    function = "OCTET_LENGTH"
    output_field = IntegerField()

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> Any:
        """Before 3.43 it has no function of this name."""
        return self.as_sql(
            compiler, connection, template="LENGTH(CAST(%(expressions)s AS BLOB))", **context
        )


class Matches(Regex):
    """A text against a regular expression."""

    def as_mysql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Any:
        """Letter by letter; Django has it compared byte by byte, which knows no ranges."""
        text, params = self.process_lhs(compiler, connection)
        pattern, pattern_params = self.process_rhs(compiler, connection)
        return f"{text} REGEXP {pattern}", (*params, *pattern_params)


def pattern_of(wanted: str) -> str:
    """The regular expression for a folded text; of `sss` the first two may be an `ß`."""
    letters = letters_by_plain()
    parts, position = [], 0
    while position < len(wanted):
        one, two = wanted[position], wanted[position : position + 2]
        found = {one, *letters.get(one, ()), *_halves(wanted, position)}
        part = _one_of(found)
        if len(two) == 2 and two in letters:
            if one == two[1]:
                # `å` is an `a` as well. If `aa` might begin with it, a row of them could be read in
                # so many ways that the expression would try them for hours.
                part = _one_of(found - letters[two])
            next_one = _one_of({two[1], *letters.get(two[1], ()), *_halves(wanted, position + 1)})
            part = f"(?:{part}{next_one}|{_one_of(letters[two])})"
            position += 1
        parts.append(part)
        position += 1
    return "".join(parts)


def _halves(wanted: str, position: int) -> set[str]:
    """Who types `stras` may be on the way to `Straße`: at either end half a letter is enough."""
    pairs = letters_by_plain().items()
    found: set[str] = set()
    for plain, letters in pairs:
        if len(plain) == 2 and (
            (position == 0 and plain[1] == wanted[0])
            or (position == len(wanted) - 1 and plain[0] == wanted[-1])
        ):
            found |= letters
    return found


@cache
def letters_by_plain() -> dict[str, frozenset[str]]:
    """All letters with a case that are folded to one or two characters, by these."""
    found: dict[str, set[str]] = defaultdict(set)
    for letter in map(chr, LETTERS):
        if unicodedata.category(letter) in ("Lu", "Ll", "Lt"):
            found[folded(letter)].add(letter)
    for plain, letters in ALSO_SPELLED.items():
        found[plain].update(letters)
    return {plain: frozenset(letters) for plain, letters in found.items()}


@lru_cache(maxsize=1024)
def _class_of(letters: frozenset[str]) -> str:
    """`[Lląłĺ-ľ]`, with the accents that may follow; a longer list of letters takes longer."""
    if len(letters) == 1 and not (letter := min(letters)).isalpha():
        return letter if letter.isalnum() or not letter.isascii() else f"\\{letter}"
    codes = sorted(map(ord, letters))
    runs = [
        [code for _, code in run]
        for _, run in groupby(enumerate(codes), key=lambda pair: pair[1] - pair[0])
    ]
    inside = "".join(
        chr(run[0]) if len(run) == 1 else f"{chr(run[0])}-{chr(run[-1])}" for run in runs
    )
    return f"[{inside}][{ACCENTS}]*"


def _one_of(letters: Any) -> str:
    return _class_of(frozenset(letters))
