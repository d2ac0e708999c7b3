"""Cells that a spreadsheet would take for formulas, or that would begin a cell of their own."""

import csv
from io import StringIO

from django.test import Client
from django.urls import reverse

from doc_priority.models import Customer
from tests.admin.lists import CUSTOMERS
from tests.factories import CounterFactory, CustomerFactory, PolicyFactory
from tests.proof.hostile.scene import browser_of, empty_portal, superuser
from tests.proof.hostile.tried import Tried

STARTS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What formulas begin with, also in full width."""

BEFORE = ("", " ", "\n", "\u00a0", "\u3000", "   ")
"""What spreadsheets drop before they look."""

BODIES = (
    "cmd|'/C calc'!A0",
    'HYPERLINK("http://127.0.0.1:9/"&A1)',
    '1+1"\r\n=1+1,"',
    "SUM(1,1);DDE",
)
KEYS = ("-1", "@SUM", "-cmd:x")
NUMBERS = frozenset(("priority", "pending_documents"))


def exported_cells() -> Tried:
    """Whatever customers and policies are called, no cell of the export begins as a formula."""
    tried = Tried("cells")
    names = [f"{before}{start}{body}" for before in BEFORE for start in STARTS for body in BODIES]
    with empty_portal():
        for number, name in enumerate(names):
            policy = PolicyFactory.create(name=name[:64] + f" {number}")
            customer = CustomerFactory.create(key=f"customer-{number}", name=name, policy=policy)
            CounterFactory.create(customer=customer, pending_documents=-number)
        for key in KEYS:
            CustomerFactory.create(key=key, name="")
        rows = _exported(browser_of(superuser()))
        tried.expect(len(rows) == len(names) + len(KEYS), f"{len(rows)} lines of the export")
        for row in rows:
            for column, cell in row.items():
                tried.expect(_is_harmless(column, cell), f"{column} {cell!r}")
        kept = {row["name"].removeprefix("'") for row in rows} - {""}
        tried.expect(kept == set(names), "names were lost or run together")
    return tried


def _exported(browser: Client) -> list[dict[str, str]]:
    first = Customer.objects.values_list("pk", flat=True).first()
    fields = {"action": "export_as_csv", "index": 0, "select_across": 1, "_selected_action": first}
    answer = browser.post(reverse(CUSTOMERS), fields)
    text = b"".join(answer).decode("utf-8-sig")
    return list(csv.DictReader(StringIO(text, newline="")))


def _is_harmless(column: str, cell: str | None) -> bool:
    """Of the right number of cells, and only numbers of ours begin with a minus."""
    if not isinstance(column, str) or not isinstance(cell, str):
        return False
    if column in NUMBERS:
        return cell.lstrip("-").isdigit()
    return cell.lstrip()[:1] not in STARTS and cell[:1] not in STARTS
