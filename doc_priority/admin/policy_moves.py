"""Who moves when a policy changes: in words, and as somebody has seen it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from doc_priority.admin.policy_opened import as_text
from doc_priority.numerals import numeral
from doc_priority.selectors import Move
from doc_priority.types import PolicyTerms


def in_words(moves: Sequence[Move]) -> str:
    """`3 customers move: 7 → 5: 2, 4 → 3: 1.`"""
    if not moves:
        return _("Nobody moves.")
    customers = sum(move.customers for move in moves)
    return ngettext(
        "%(count)s customer moves: %(moves)s.", "%(count)s customers move: %(moves)s.", customers
    ) % {"count": numeral(customers), "moves": ", ".join(map(_in_words, moves))}


def _in_words(move: Move) -> str:
    return f"{move.before} → {move.after}: {numeral(move.customers)}"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A change that has to be confirmed when it moves anybody."""

    terms: PolicyTerms
    moves: tuple[Move, ...]

    @property
    def terms_seen(self) -> str:
        return as_text(self.terms)

    @property
    def moves_seen(self) -> str:
        return " ".join(f"{move.before}-{move.after}:{move.customers}" for move in self.moves)

    def is_given(self, data: Mapping[str, str]) -> bool:
        """Whether what is sent was seen, or accepted whatever it is by now."""
        if not self.moves:
            return True
        seen = data.get("moves_seen") == self.moves_seen or "moves_accepted" in data
        return seen and self.is_repeated(data)

    def is_repeated(self, data: Mapping[str, str]) -> bool:
        """Whether the same terms were shown before."""
        return data.get("terms_seen") == self.terms_seen

    def question(self, data: Mapping[str, str]) -> str:
        moves = in_words(self.moves)
        if self.is_repeated(data):
            return _(
                "The numbers have changed since they were shown. %(moves)s "
                "Nothing is saved yet: save again to confirm."
            ) % {"moves": moves}
        return _("%(moves)s Nothing is saved yet: save again to confirm.") % {"moves": moves}
