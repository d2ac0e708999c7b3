"""What an event changed, in words."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from doc_priority.admin.moments import shown
from doc_priority.models import Event, Policy
from doc_priority.numerals import numeral
from doc_priority.types import Recovery


class Fact(NamedTuple):
    """One thing that an event says, before and after."""

    label: str
    text: str


def headline(event: Event) -> str:
    """What was done, by whom and why, in a line."""
    done = event.get_kind_display()
    if event.actor:
        done = _("%(kind)s by %(actor)s") % {"kind": done, "actor": event.actor}
    return f"{done} ({event.reason})" if event.reason else done


def change_of(event: Event) -> str:
    """Before → after in a line."""
    return "; ".join(_parts(event))


def facts_of(event: Event) -> list[Fact]:
    """All that the event keeps of before and after; what did not change is said once."""
    before, after = _sides(event)
    names = [name for name in _WORDS if name in before or name in after]
    # What was made or erased has one side only.
    texts = [_arrow(name, before or after, after or before) for name in names]
    return [Fact(str(_WORDS[name].label), text) for name, text in zip(names, texts, strict=True)]


def _parts(event: Event) -> Iterator[str]:
    before, after = _sides(event)
    if event.kind == Event.Kind.FORGET:
        yield _erased(before)
    elif event.kind == Event.Kind.POLICY and not event.customer:
        yield from _of_a_policy(before, after)
    else:
        yield from _of_a_customer(before, after)


def _of_a_customer(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    if before.get("policy") != after.get("policy"):
        yield _arrow("policy", before, after)
    if "priority" in before or "priority" in after:
        yield f"{_text('priority', before)} → {_text('priority', after)}"
    if "pin" in after:
        until = after["pin"][1]
        if until is None:
            yield _("pinned without an end")
        else:
            yield _("pinned until %(until)s") % {"until": _moment(until)}


def _of_a_policy(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    if not before:
        yield _("created")
    elif not after:
        yield _("deleted")
    else:
        yield from changed_terms(before, after)


def changed_terms(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Each of a policy's terms that is another one after, with what it was and became."""
    for name in ("reset_interval", "recovery", "thresholds"):
        if before.get(name) != after.get(name):
            yield f"{_WORDS[name].label}: {_arrow(name, before, after)}"


def _erased(before: dict[str, Any]) -> str:
    documents, events = before.get("documents", 0), before.get("events", 0)
    return _("erased at priority %(priority)s, with %(documents)s and %(events)s") % {
        "priority": _text("priority", before),
        "documents": ngettext("%(count)s document", "%(count)s documents", documents)
        % {"count": numeral(documents)},
        "events": ngettext("%(count)s event", "%(count)s events", events)
        % {"count": numeral(events)},
    }


def _sides(event: Event) -> tuple[dict[str, Any], dict[str, Any]]:
    return _side(event.before), _side(event.after)


def _side(kept: dict[str, Any]) -> dict[str, Any]:
    """A pin's two values are one."""
    side = dict(kept)
    if "pinned_priority" in side:
        side["pin"] = (side.pop("pinned_priority"), side.pop("pinned_until"))
    return side


def _arrow(name: str, before: dict[str, Any], after: dict[str, Any]) -> str:
    was, became = _text(name, before), _text(name, after)
    return was if was == became else f"{was} → {became}"


def _text(name: str, side: dict[str, Any]) -> str:
    return _WORDS[name].text(side[name]) if name in side else "–"


def _seconds(value: int) -> str:
    return _("%(seconds)s s") % {"seconds": numeral(value)}


def policy_name(value: str) -> str:
    return _("“%(policy)s”") % {"policy": value} if value else _("the default policy")


def _recovery(value: str) -> str:
    choices: dict[str, Any] = dict(Policy._meta.get_field("recovery").flatchoices)
    return str(choices[Recovery(value)])


def _thresholds(value: list[int]) -> str:
    return ", ".join(map(numeral, value))


def _pin(value: tuple[int, str | None]) -> str:
    priority, until = value
    if until is None:
        return _("%(priority)s without an end") % {"priority": priority}
    return _("%(priority)s until %(until)s") % {"priority": priority, "until": _moment(until)}


def _moment(text: str) -> str:
    return shown(datetime.fromisoformat(text))


class _Word(NamedTuple):
    label: str | Promise
    text: Callable[[Any], str]


_WORDS = {
    "policy": _Word(gettext_lazy("policy"), policy_name),
    "priority": _Word(gettext_lazy("priority"), numeral),
    "pin": _Word(gettext_lazy("pin"), _pin),
    "pending_documents": _Word(gettext_lazy("pending documents"), numeral),
    "reset_interval": _Word(gettext_lazy("reset interval"), _seconds),
    "recovery": _Word(gettext_lazy("recovery"), _recovery),
    "thresholds": _Word(gettext_lazy("thresholds"), _thresholds),
    "documents": _Word(gettext_lazy("documents"), numeral),
    "events": _Word(gettext_lazy("events"), numeral),
}
