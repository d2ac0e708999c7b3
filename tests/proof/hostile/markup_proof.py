"""Whether any text that was stored or sent became markup on any page."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from doc_priority.models import Customer, Policy
from tests.api.calls import CALLS
from tests.proof.hostile.admin_addresses import our_addresses
from tests.proof.hostile.markup import MARKUP, TEXTS, reading_of
from tests.proof.hostile.scene import browser_of, caller_of, empty_portal, undone
from tests.proof.hostile.text_pages import (
    forms_that_repeat,
    pages_of_what_is_stored,
    pages_that_repeat,
)
from tests.proof.hostile.text_scene import KINDS, store, tagged
from tests.proof.hostile.tried import Tried, sampled

HTML, JSON = "text/html", "application/json"
JSON_KINDS = (JSON, "application/problem+json", "application/vnd.oai.openapi+json")
PARTS = frozenset(("html", "levels", "priority", "pending_documents", "resets_in", "last_update"))
"""Of the answers to scripts, what they show as markup."""


def markup_on_pages(*, every: int, languages: Sequence[str]) -> Tried:
    """Every page of the admin in each language, and what it answers to its scripts."""
    tried = Tried("pages")
    said: set[str] = set()
    with empty_portal():
        browser = browser_of(store(TEXTS, username=MARKUP[1]))
        for language in languages:
            headers = {"accept-language": language}
            for address in _all_kinds_of_pages(every):
                answer = browser.get(address, headers=headers)
                said |= _read(tried, f"{address} in {language}", answer)
    if every == 1:
        for text, kind in product(TEXTS, KINDS):
            shown = any(tagged(text, kind) in one for one in said)
            tried.expect(shown, f"{tagged(text, kind)} stood on no page")
    return tried


def _all_kinds_of_pages(every: int) -> Iterator[str]:
    """Each address of ours once; of the same for every customer, policy and event some."""
    ours = [one.path for one in our_addresses()]
    yield from ours
    yield from sampled((one for one in pages_of_what_is_stored() if one not in ours), every)


def markup_in_answers(*, every: int) -> Tried:
    """What was sent and stands on the page that comes back."""
    tried = Tried("pages")
    with empty_portal():
        browser = browser_of(store(TEXTS, username=MARKUP[1]))
        for text in TEXTS:
            for address in sampled(list(pages_that_repeat(text)), every):
                _read(tried, address, browser.get(address, follow=True))
        for text in sampled(TEXTS, every):
            with undone():
                for called, answer in forms_that_repeat(browser, text):
                    _read(tried, called, answer)
    return tried


def markup_over_rest(*, every: int) -> Tried:
    """Answers that no browser takes for a page, in which each text is what was stored."""
    tried = Tried("answers")
    with empty_portal():
        caller = caller_of(store(TEXTS, username=MARKUP[1]))
        for address in sampled(list(_read_over_rest()), every):
            answer = caller.get(address)
            fault = _fault_of_json(answer)
            tried.expect(not fault, f"{address}: {fault}")
    return tried


def _read_over_rest() -> Iterator[str]:
    names = list(Policy.objects.values_list("name", flat=True))
    for call in CALLS:
        if call.method == "GET" and call.route not in ("docs", "asset"):
            for key in Customer.objects.values_list("key", flat=True):
                yield call.to(key=key)[1]
    yield from (f"policies/{_quoted(name)}/" for name in names)
    yield from (f"customers/?{_quoted(name)}={_quoted(name)}" for name in names)


def _quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def _fault_of_json(answer: Any) -> str:
    if not answer["Content-Type"].startswith(JSON_KINDS):
        return f"comes as {answer['Content-Type']}"
    if answer.get("X-Content-Type-Options") != "nosniff":
        return "a browser may guess what it is"
    if answer.status_code >= 500:
        return str(answer.status_code)
    json.loads(answer.content)
    return ""


def _read(tried: Tried, called: str, answer: Any) -> set[str]:
    """What the page says; what is wrong with it goes to the account."""
    faults, said = [], set()
    if answer.status_code >= 500:
        faults.append(str(answer.status_code))
    for html in _markup_of(answer):
        reading = reading_of(html)
        faults += reading.faults
        said.update(reading.said)
    tried.expect(not faults, f"{called[:160]}: {'; '.join(faults[:3])}")
    return said


def _markup_of(answer: Any) -> Iterable[str]:
    kind = answer.get("Content-Type", "")
    if kind.startswith(HTML):
        return [answer.content.decode()]
    if kind.startswith(JSON):
        return list(_parts(json.loads(answer.content)))
    return []


def _parts(value: Any) -> Iterator[str]:
    for name, inner in value.items() if isinstance(value, dict) else ():
        if isinstance(inner, str) and name in PARTS:
            yield inner
        yield from _parts(inner)
