"""What a portal's day is made of: which requests there are, and how many of each."""

import random
from collections.abc import Callable
from itertools import cycle
from operator import itemgetter

from tests.proof.soak.people import Customers
from tests.proof.soak.requests import Request, form_of

API, ADMIN = "/api/v1", "/admin/doc_priority"
REASON = {"reason": "Soaked"}
UNTIL = "2100-01-01T00:00:00Z"
BULK = 20


class Day:
    """Draws requests about these customers, in every hundred as many of each kind.

    Each kind is spread evenly over the hundred, so that a minute is mixed as the next one is.
    A document is named once, or again at once; no two days name the same.
    """

    def __init__(self, customers: Customers, name: str) -> None:
        self._keys = customers.keys
        self._corrected = cycle(customers.corrected)
        self._name = name
        self._random = random.Random(name)
        self._documents = self._newcomers = 0
        self._left: list[Callable[[Day], Request]] = []

    def draw(self) -> Request:
        if not self._left:
            self._left = self._dealt()
        return self._left.pop()(self)

    def _dealt(self) -> list[Callable[["Day"], Request]]:
        begins = {maker: self._random.random() for maker in MAKERS}
        turns = [
            ((begins[maker] + turn) / count, maker)
            for maker, count in MAKERS.items()
            for turn in range(count)
        ]
        return [maker for _, maker in sorted(turns, key=itemgetter(0))]

    @property
    def customer(self) -> str:
        return self._random.choice(self._keys)

    @property
    def document(self) -> str:
        self._documents += 1
        return self.earlier_document

    @property
    def earlier_document(self) -> str:
        return f"{self._name}-{self._documents}"

    def check(self) -> Request:
        return Request("POST", f"{API}/customers/{self.customer}/check/", {})

    def check_document(self) -> Request:
        body = {"document": self.document}
        return Request("POST", f"{API}/customers/{self._keys[0]}/check/", body)

    def repeat_document(self) -> Request:
        body = {"document": self.earlier_document}
        return Request("POST", f"{API}/customers/{self._keys[0]}/check/", body)

    def check_many(self) -> Request:
        items = [{"customer": self.customer} for _ in range(BULK)]
        return Request("POST", f"{API}/checks/", {"items": items})

    def reset(self) -> Request:
        return Request("POST", f"{API}/customers/{self.customer}/reset/", REASON)

    def pin(self) -> Request:
        body = {"priority": 2, "until": UNTIL, **REASON}
        return Request("PUT", f"{API}/customers/{self.customer}/pin/", body)

    def unpin(self) -> Request:
        return Request("DELETE", f"{API}/customers/{self.customer}/pin/", REASON)

    def come_and_go(self) -> Request:
        """Somebody new, who is forgotten at once."""
        self._newcomers += 1
        key = f"{self._name}-newcomer-{self._newcomers}"
        gone = Request("DELETE", f"{API}/customers/{key}/", REASON, status=204)
        return Request(
            "POST", f"{API}/customers/", {"customer": key}, status=201, then=lambda _: gone
        )

    def peek(self) -> Request:
        return Request("GET", f"{API}/customers/{self.customer}/")

    def history(self) -> Request:
        what = self._random.choice(["events", "documents"])
        return Request("GET", f"{API}/customers/{self.customer}/{what}/")

    def live_list(self) -> Request:
        return Request("GET", f"{API}/customers/?ordering=-priority")

    def stats(self) -> Request:
        return Request("GET", f"{API}/stats/")

    def admin_list(self) -> Request:
        priority = self._random.randint(1, 9)
        return Request("GET", f"{ADMIN}/customer/?priority={priority}", staff=True)

    def admin_refresh(self) -> Request:
        return Request("GET", f"{ADMIN}/customer/live/?live=1&live=2&live=3", staff=True)

    def admin_reset(self) -> Request:
        """The page that asks, and then its form with a reason."""
        address = f"{ADMIN}/customer/reset/"

        def confirmed(page: str) -> Request:
            return Request("POST", address, form_of(page, **REASON), staff=True, status=302)

        asked = f"{address}?customer={next(self._corrected)}"
        return Request("GET", asked, staff=True, then=confirmed)

    def admin_export(self) -> Request:
        """The list, and then all of it as CSV."""
        address = f"{ADMIN}/customer/"
        ticked = {"action": "export_as_csv", "select_across": "1", "_selected_action": "1"}

        def exported(page: str) -> Request:
            return Request("POST", address, form_of(page, **ticked), staff=True)

        return Request("GET", address, staff=True, then=exported)

    def dashboard(self) -> Request:
        return Request("GET", f"{ADMIN}/customer/dashboard/", staff=True)

    def admin_events(self) -> Request:
        return Request("GET", f"{ADMIN}/event/", staff=True)


MAKERS: dict[Callable[[Day], Request], int] = {
    Day.check: 28,
    Day.check_document: 20,
    Day.repeat_document: 5,
    Day.check_many: 5,
    Day.peek: 12,
    Day.history: 4,
    Day.live_list: 4,
    Day.stats: 3,
    Day.reset: 1,
    Day.pin: 1,
    Day.unpin: 1,
    Day.come_and_go: 1,
    Day.admin_list: 4,
    Day.admin_refresh: 6,
    Day.admin_reset: 1,
    Day.admin_export: 1,
    Day.dashboard: 2,
    Day.admin_events: 1,
}
"""How many of a hundred are of each kind."""
