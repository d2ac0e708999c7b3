"""What the pages show; every function says how many queries it makes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser, User
from django.core.paginator import Page, Paginator
from django.db.models import Count, Window

from doc_priority.models import Customer
from doc_priority.types import BEST_PRIORITY
from example_project.portal.models import Client, Document

CLIENTS_PER_PAGE = 25
DOCUMENTS_PER_PAGE = 50
Visitor = User | AnonymousUser


@dataclass(frozen=True, slots=True)
class Standing:
    """What a client stands at now."""

    priority: int = BEST_PRIORITY
    pending_documents: int = 0
    counting: bool = False
    pinned: bool = False
    pinned_until: datetime | None = None
    resets_at: datetime | None = None
    updated_at: datetime | None = None
    policy: str = ""

    @property
    def documents(self) -> int:
        """How many documents the counter holds."""
        return -self.pending_documents


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many documents of a client wait, and at which place of the whole queue the first."""

    documents: int = 0
    first_place: int = 0


@dataclass(frozen=True, slots=True)
class ClientRow:
    """A client, what it stands at, and how many documents of it wait."""

    client: Client
    standing: Standing
    waiting: int


@dataclass(frozen=True, slots=True)
class ClientsPage:
    """One page of the list of clients."""

    page: Page[Client]
    rows: tuple[ClientRow, ...]


LIVE_FIELDS = (
    "priority",
    "pending_documents",
    "counting",
    "pinned",
    "pinned_until",
    "resets_at",
    "updated_at",
)


def standings(keys: Iterable[str]) -> dict[str, Standing]:
    """What each of these clients stands at now, in one query; the forgotten are left out."""
    live = Customer.objects.live().filter(key__in=list(keys))
    return {
        row.pop("key"): Standing(policy=row.pop("policy__name") or "", **row)
        for row in live.values("key", "policy__name", *LIVE_FIELDS)
    }


def standing_of(client: Client) -> Standing:
    """What this client stands at now, in one query."""
    return standings([client.key]).get(client.key, Standing())


def waiting_of(client: Client) -> Waiting:
    """What of this client waits, in one query."""
    documents = Document.objects.filter(client=client).in_worker_order().with_place()
    first = documents.annotate(waiting=Window(Count("pk"))).values("waiting", "place").first()
    return Waiting(first["waiting"], first["place"]) if first else Waiting()


def clients_page(user: Visitor, *, text: str, number: str) -> ClientsPage:
    """The clients this user sees, worst live priority first, in four queries."""
    clients = Client.objects.visible_to(user).matching(text).worst_first()
    page = Paginator(clients, CLIENTS_PER_PAGE).get_page(number)
    found = standings(client.key for client in page)
    waiting = _numbers_waiting(page)
    rows = tuple(
        ClientRow(client, found.get(client.key, Standing()), waiting.get(client.pk, 0))
        for client in page
    )
    return ClientsPage(page, rows)


def documents_page(user: Visitor, *, status: str, number: str) -> Page[Document]:
    """The documents this user sees, newest first, in two queries."""
    documents = Document.objects.visible_to(user).newest_first().select_related("client")
    if status in Document.Status.values:
        documents = documents.filter(status=status)
    return Paginator(documents.with_place(), DOCUMENTS_PER_PAGE).get_page(number)


def client_documents_page(client: Client, *, number: str) -> Page[Document]:
    """The documents of one client, newest first, in two queries."""
    documents = Document.objects.filter(client=client).newest_first().with_place()
    return Paginator(documents.select_related("client"), DOCUMENTS_PER_PAGE).get_page(number)


def queue_page(user: Visitor, *, number: str) -> Page[Document]:
    """What of this user's waits, in the order the worker takes it, in two queries."""
    queue = Document.objects.visible_to(user).in_worker_order().select_related("client")
    return Paginator(queue.with_place(), DOCUMENTS_PER_PAGE).get_page(number)


def _numbers_waiting(clients: Iterable[Client]) -> dict[int, int]:
    waiting = Document.objects.in_worker_order().filter(client__in=list(clients)).order_by()
    counted = waiting.values("client").annotate(number=Count("pk"))
    return dict(counted.values_list("client", "number"))
