"""The portal's pages."""

import logging
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.core.paginator import Page, Paginator
from django.db import OperationalError
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from doc_priority.exceptions import (
    CounterBusy,
    CustomerExists,
    DocPriorityError,
    TransactionConflict,
)
from doc_priority.models import Customer
from example_project.portal import services
from example_project.portal.engines import QueueDown, current
from example_project.portal.forms import ClientForm, DropForm, RenameForm
from example_project.portal.models import Client, Document, DocumentQuerySet

logger = logging.getLogger(__name__)


def start(request: HttpRequest) -> HttpResponse:
    """The customers with their live priority; to those not signed in, what this is."""
    if not request.user.is_authenticated:
        return render(request, "portal/welcome.html")
    clients = Client.objects.visible_to(request.user).worst_first()
    search = request.GET.get("search", "").strip()[:100]
    if search:
        clients = clients.filter(Q(name__icontains=search) | Q(key__icontains=search))
    page = Paginator(clients, 25).get_page(request.GET.get("page", "1"))
    live = Customer.objects.live().select_related("policy")
    standings = {one.key: one for one in live.filter(key__in=[client.key for client in page])}
    waiting = Document.objects.filter(status=Document.Status.QUEUED, client__in=list(page))
    numbers = dict(waiting.values_list("client").annotate(Count("pk")))
    rows = [(client, standings.get(client.key), numbers.get(client.pk, 0)) for client in page]
    return render(request, "portal/start.html", {"page": page, "rows": rows, "search": search})


@login_required
def client(request: HttpRequest, key: str) -> HttpResponse:
    """How one customer stands, its documents, and the form to submit more."""
    form = DropForm(initial={"token": uuid4()})
    return _client_page(request, _visible_client(request, key), form)


@login_required
@never_cache
def client_live(request: HttpRequest, key: str) -> HttpResponse:
    """The parts of the page that change by themselves, for its script."""
    context = _client_context(request, _visible_client(request, key))
    html = {
        part: render_to_string(f"portal/_client_{part}.html", context, request)
        for part in ("now", "documents")
    }
    return JsonResponse({"updated": context["updated"], "html": html})


@login_required
@permission_required("portal.add_document", raise_exception=True)
@require_POST
def drop(request: HttpRequest, key: str) -> HttpResponse:
    """Submit documents of one customer."""
    client = _visible_client(request, key)
    form = DropForm(request.POST, request.FILES)
    if not form.is_valid():
        return _client_page(request, client, form, status=400)
    names = form.cleaned_data["documents"]
    try:
        decisions = services.drop_documents(client, names=names)
    except (DocPriorityError, OperationalError, QueueDown) as error:
        logger.warning("Nothing submitted for %s: %s", client.key, error)
        status = 503
        if isinstance(error, QueueDown):
            text = _("The queue is not responding. No documents were received. Submit them again.")
        elif isinstance(error, OperationalError | CounterBusy | TransactionConflict):
            text = _("The database is busy. No documents were received. Submit them again.")
        else:
            text = _("No documents were received: doc_priority refused them (%(code)s).")
            text, status = text % {"code": error.code}, 400
        form.add_error(None, text)
        return _client_page(request, client, form, status=status)
    if decisions:
        text = ngettext(
            "%(count)s document received, priority %(priorities)s.",
            "%(count)s documents received, priority %(priorities)s.",
            len(decisions),
        )
        priorities = [decision.priority for decision in decisions]
        best, worst = min(priorities), max(priorities)
        shown = best if best == worst else f"{best}–{worst}"
        count = number_format(len(decisions))
        messages.success(request, text % {"count": count, "priorities": shown})
    if repeated := len(names) - len(decisions):
        text = ngettext(
            "%(count)s document was already submitted and was not counted again.",
            "%(count)s documents were already submitted and were not counted again.",
            repeated,
        )
        messages.info(request, text % {"count": number_format(repeated)})
    return redirect("portal:client", key=client.key)


@login_required
@permission_required("portal.add_client", raise_exception=True)
def create(request: HttpRequest) -> HttpResponse:
    """A new customer."""
    form = ClientForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            client = services.create_client(**form.cleaned_data)
        except CustomerExists:
            form.add_error("key", _("This ID is already in use. Choose another."))
        else:
            messages.success(request, _("%(name)s was added.") % {"name": client.name})
            return redirect("portal:client", key=client.key)
    return render(request, "portal/client_new.html", {"form": form})


@login_required
@permission_required("portal.change_client", raise_exception=True)
def rename(request: HttpRequest, key: str) -> HttpResponse:
    """Another name for a customer."""
    client = _visible_client(request, key)
    form = RenameForm(request.POST or None, initial={"name": client.name})
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["name"]
        services.rename_client(client, name=name)
        messages.success(request, _("Renamed to %(name)s.") % {"name": name})
        return redirect("portal:client", key=client.key)
    return render(request, "portal/client_rename.html", {"client": client, "form": form})


@login_required
@permission_required("portal.delete_client", raise_exception=True)
def delete(request: HttpRequest, key: str) -> HttpResponse:
    """Remove a customer, its documents and all doc_priority has of it."""
    client = _visible_client(request, key)
    if request.method == "POST":
        services.delete_client(client, actor=request.user)
        messages.success(request, _("%(name)s was deleted.") % {"name": client.name})
        return redirect("portal:start")
    return render(request, "portal/client_delete.html", {"client": client})


@login_required
def documents(request: HttpRequest) -> HttpResponse:
    """The documents, the priority each got, and why."""
    documents = Document.objects.visible_to(request.user).order_by("-pk")
    status = request.GET.get("status", "")
    if status in Document.Status.values:
        documents = documents.filter(status=status)
    page, statuses = _page_of(request, documents), Document.Status.choices
    context = {"page": page, "status": status, "statuses": statuses}
    return render(request, "portal/documents.html", context)


@login_required
@permission_required("portal.add_document", raise_exception=True)
@require_POST
def try_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Queue a document that failed once more."""
    documents = Document.objects.visible_to(request.user).select_related("client")
    document = get_object_or_404(documents, pk=pk)
    try:
        if services.try_again(document):
            text = _("%(name)s is waiting again, with the same priority.")
            messages.success(request, text % {"name": document.name})
    except QueueDown as error:
        logger.warning("%s is not queued again: %s", document.reference, error)
        messages.error(request, _("The queue is not responding. Try again later."))
    return redirect("portal:client", key=document.client.key)


@login_required
def queue(request: HttpRequest) -> HttpResponse:
    """What waits, in the order the worker takes it."""
    page = _page_of(request, Document.objects.visible_to(request.user).in_worker_order())
    return render(request, "portal/queue.html", {"page": page, "order": current().order})


def _visible_client(request: HttpRequest, key: str) -> Client:
    client: Client = get_object_or_404(Client.objects.visible_to(request.user), key=key)
    return client


def _page_of(request: HttpRequest, documents: DocumentQuerySet) -> Page[Document]:
    documents = documents.with_place().select_related("client")
    return Paginator(documents, 50).get_page(request.GET.get("page", "1"))


def _client_page(
    request: HttpRequest, client: Client, form: DropForm, *, status: int = 200
) -> HttpResponse:
    context = {
        **_client_context(request, client),
        "form": form,
        "live_url": f"{reverse('portal:client-live', args=[client.key])}?{request.GET.urlencode()}",
        "live_refresh_seconds": 3,
    }
    return render(request, "portal/client.html", context, status=status)


def _client_context(request: HttpRequest, client: Client) -> dict[str, Any]:
    waiting = Document.objects.filter(client=client).in_worker_order()
    live = Customer.objects.live().select_related("policy")
    return {
        "client": client,
        "standing": live.filter(key=client.key).first(),
        "waiting": waiting.count(),
        "first": waiting.with_place().first(),
        "page": _page_of(request, Document.objects.filter(client=client).order_by("-pk")),
        "updated": date_format(timezone.localtime(), "H:i:s"),
    }
