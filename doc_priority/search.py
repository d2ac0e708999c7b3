"""Searching a text without regard to case and accents, with the same result on every database.

PostgreSQL, MariaDB and SQLite disagree about the lower case of letters beyond ASCII and about
letters with accents, and each would need a different way to store a text without them. So the
stored text stays as it is, and the searched text becomes a regular expression in which each letter
is replaced by all letters it may stand for. All three databases read that in the same way.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Func, IntegerField, Q
from django.db.models.functions import Length
from django.db.models.lookups import Contains, GreaterThan, Regex
from django.db.models.sql.compiler import SQLCompiler

LONGEST = 300
"""Stored texts are shorter, so a search for a longer text finds nothing."""

LETTERS = (*range(0x41, 0xFB00), *range(0xFF21, 0xFF5B))
"""The code points of letters, without ligatures such as `ﬁ`."""

WITHOUT_ACCENT = dict(zip("øłđðħŧ\u0131", "olddhti", strict=True)) | {
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
}
"""What people type for these letters, in which Unicode sees no accent."""

ALSO_SPELLED = {"aa": "åÅ", "ae": "äÄ", "oe": "öÖøØ", "ue": "üÜ"}
"""Two letters that people type for one letter with an accent."""

ACCENTS = "\u0300-\u036f"
"""Accents that are separate characters after their letter."""


def folded(text: str) -> str:
    """The text without case and accents: `Łódź` is `lodz`, and `Straße` is `strasse`."""
    apart = unicodedata.normalize("NFD", text.casefold())
    plain = (letter for letter in apart if not "\u0300" <= letter <= "\u036f")
    return "".join(WITHOUT_ACCENT.get(letter, letter) for letter in plain)


def contains_folded(text: Any, searched: str) -> Q:
    """A condition: `text`, an expression in lower case, contains this, whatever case and accents.

    The regular expression alone would take four times as long on PostgreSQL, and twenty times on
    SQLite. So a text in ASCII is compared without it. Any other text is first searched for the
    longest run of digits and signs, and only if it has that, compared with the regular expression.
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
        """SQLite has no function of this name before 3.43."""
        return self.as_sql(
            compiler, connection, template="LENGTH(CAST(%(expressions)s AS BLOB))", **context
        )


class Matches(Regex):
    """Whether a text matches a regular expression."""

    def as_mysql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Any:
        """Without Django's BINARY: it compares bytes, so that ranges of letters do not work."""
        text, params = self.process_lhs(compiler, connection)
        pattern, pattern_params = self.process_rhs(compiler, connection)
        return f"{text} REGEXP {pattern}", (*params, *pattern_params)


def pattern_of(wanted: str) -> str:
    """The regular expression for a folded text; in `sss` the first two letters may be an `ß`."""
    letters = letters_by_plain()
    parts, position = [], 0
    while position < len(wanted):
        one, two = wanted[position], wanted[position : position + 2]
        found = {one, *letters.get(one, ()), *_halves(wanted, position)}
        part = _one_of(found)
        if len(two) == 2 and two in letters:
            if one == two[1]:
                # `å` stands for `a` and for `aa`. If the first `a` of `aa` could be an `å`, there
                # would be so many ways to read a row of them that the search would take hours.
                part = _one_of(found - letters[two])
            next_one = _one_of({two[1], *letters.get(two[1], ()), *_halves(wanted, position + 1)})
            part = f"(?:{part}{next_one}|{_one_of(letters[two])})"
            position += 1
        parts.append(part)
        position += 1
    return "".join(parts)


def _halves(wanted: str, position: int) -> set[str]:
    """`stras` finds `Straße`: at both ends of the searched text half of two letters is enough."""
    found: set[str] = set()
    for plain, letters in letters_by_plain().items():
        if len(plain) == 2 and (
            (position == 0 and plain[1] == wanted[0])
            or (position == len(wanted) - 1 and plain[0] == wanted[-1])
        ):
            found |= letters
    return found


@cache
def letters_by_plain() -> dict[str, frozenset[str]]:
    """All upper and lower case letters, by their folded text."""
    found: dict[str, set[str]] = defaultdict(set)
    for letter in map(chr, LETTERS):
        if unicodedata.category(letter) in ("Lu", "Ll", "Lt"):
            found[folded(letter)].add(letter)
    for plain, letters in ALSO_SPELLED.items():
        found[plain].update(letters)
    return {plain: frozenset(letters) for plain, letters in found.items()}


def _one_of(letters: Iterable[str]) -> str:
    """A class such as `[Lląłĺ-ľ]`, and the accents that may follow. Short by ranges, so fast."""
    codes = sorted(map(ord, letters))
    if len(codes) == 1 and not (letter := chr(codes[0])).isalpha():
        return letter if letter.isalnum() or not letter.isascii() else f"\\{letter}"
    runs = [
        [chr(code) for _, code in run]
        for _, run in groupby(enumerate(codes), key=lambda pair: pair[1] - pair[0])
    ]
    inside = "".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return f"[{inside}][{ACCENTS}]*"
