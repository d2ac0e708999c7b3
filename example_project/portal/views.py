"""The portal's pages."""

import logging
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from doc_priority.exceptions import (
    CounterBusy,
    CustomerExists,
    DocPriorityError,
    TransactionConflict,
)
from example_project.portal import requeueing, selectors, services
from example_project.portal.engines import QueueDown, current
from example_project.portal.forms import ClientForm, DropForm, RenameForm
from example_project.portal.models import Client, Document
from example_project.portal.tokens import TooManyTokens, first_call, make_token, tokens_of

logger = logging.getLogger(__name__)

REFRESH_SECONDS = 3
"""Between two looks of a client's page at how things stand."""


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """The clients with their live priority; to those not signed in, what this is."""
    if not request.user.is_authenticated:
        return render(request, "portal/welcome.html")
    text = request.GET.get("search", "").strip()[:100]
    clients = selectors.clients_page(request.user, text=text, number=request.GET.get("page", "1"))
    return render(request, "portal/start.html", {"clients": clients, "search": text})


@login_required
@require_safe
def client(request: HttpRequest, key: str) -> HttpResponse:
    """What one client stands at, its documents, and the form to drop more."""
    return _client_page(request, _visible_client(request, key), _new_drop_form())


@login_required
@never_cache
@require_safe
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
    """Drop documents of one client."""
    client = _visible_client(request, key)
    form = DropForm(request.POST, request.FILES)
    if not form.is_valid():
        return _client_page(request, client, form, status=400)
    try:
        dropped = services.drop_documents(client, files=form.dropped())
    except (CounterBusy, TransactionConflict, OperationalError) as error:
        logger.warning("Nothing dropped for %s: %s", client.key, error)
        form.add_error(None, _("The database is busy; nothing was dropped. Send it again."))
        return _client_page(request, client, form, status=503)
    except QueueDown as error:
        logger.warning("Nothing dropped for %s: %s", client.key, error)
        form.add_error(None, _("The queue does not answer; nothing was dropped. Send it again."))
        return _client_page(request, client, form, status=503)
    except DocPriorityError as error:
        logger.warning("Nothing dropped for %s: %s", client.key, error)
        text = _("Nothing was dropped: doc_priority refuses it (%(code)s).")
        form.add_error(None, text % {"code": error.code})
        return _client_page(request, client, form, status=400)
    _report(request, dropped)
    return redirect("portal:client", key=client.key)


@login_required
@permission_required("portal.add_client", raise_exception=True)
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """A new client."""
    form = ClientForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            client = services.create_client(**form.cleaned_data)
        except CustomerExists:
            form.add_error("key", _("This number is taken already; use another one."))
        else:
            messages.success(request, _("%(name)s is a client now.") % {"name": client.name})
            return redirect("portal:client", key=client.key)
    return render(request, "portal/client_new.html", {"form": form})


@login_required
@permission_required("portal.change_client", raise_exception=True)
@require_http_methods(["GET", "HEAD", "POST"])
def rename(request: HttpRequest, key: str) -> HttpResponse:
    """Another name for a client."""
    client = _visible_client(request, key)
    form = RenameForm(request.POST or None, initial={"name": client.name})
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["name"]
        services.rename_client(client, name=name)
        messages.success(request, _("The client is called %(name)s now.") % {"name": name})
        return redirect("portal:client", key=client.key)
    return render(request, "portal/client_rename.html", {"client": client, "form": form})


@login_required
@permission_required("portal.delete_client", raise_exception=True)
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, key: str) -> HttpResponse:
    """Remove a client, its documents and all doc_priority kept of it."""
    client = _visible_client(request, key)
    if request.method == "POST":
        services.delete_client(client, actor=request.user)
        messages.success(request, _("%(name)s is deleted.") % {"name": client.name})
        return redirect("portal:start")
    return render(request, "portal/client_delete.html", {"client": client})


@login_required
@require_safe
def documents(request: HttpRequest) -> HttpResponse:
    """The documents, the priority each got, and why."""
    status = request.GET.get("status", "")
    page = selectors.documents_page(
        request.user, status=status, number=request.GET.get("page", "1")
    )
    context = {"page": page, "status": status, "statuses": Document.Status.choices}
    return render(request, "portal/documents.html", context)


@login_required
@permission_required("portal.add_document", raise_exception=True)
@require_POST
def try_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Queue a document that failed once more."""
    documents = Document.objects.visible_to(request.user).select_related("client")
    document = get_object_or_404(documents, pk=pk)
    try:
        if requeueing.try_again(document):
            text = _("%(name)s waits again, with the priority it had.")
            messages.success(request, text % {"name": document.name})
    except QueueDown as error:
        logger.warning("%s is not queued again: %s", document.reference, error)
        messages.error(request, _("The queue does not answer. Try again later."))
    return redirect("portal:client", key=document.client.key)


@login_required
@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """What waits, in the order the worker takes it."""
    page = selectors.queue_page(request.user, number=request.GET.get("page", "1"))
    return render(request, "portal/queue.html", {"page": page, "order": current().order})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """One's own tokens for the REST API; a POST makes one more, and shows it this once."""
    made = ""
    if request.method == "POST":
        try:
            made = make_token(request.user)
        except TooManyTokens:
            messages.error(request, _("You have as many tokens as one may have: revoke one first."))
    site = f"{request.scheme}://{request.get_host()}"
    call = first_call(request.user, token=made, site=site)
    context = {"tokens": tokens_of(request.user), "made": made, "call": call}
    return render(request, "portal/tokens.html", context)


@login_required
@require_POST
def revoke_token(request: HttpRequest, digest: str) -> HttpResponse:
    """The end of one of one's own tokens."""
    token = get_object_or_404(tokens_of(request.user), pk=digest)
    token.delete()
    messages.success(request, _("The token is revoked."))
    return redirect("portal:tokens")


def _visible_client(request: HttpRequest, key: str) -> Client:
    client: Client = get_object_or_404(Client.objects.visible_to(request.user), key=key)
    return client


def _new_drop_form() -> DropForm:
    return DropForm(initial={"token": uuid4()})


def _client_page(
    request: HttpRequest, client: Client, form: DropForm, *, status: int = 200
) -> HttpResponse:
    context = {
        **_client_context(request, client),
        "form": form,
        "live_url": f"{reverse('portal:client-live', args=[client.key])}?{request.GET.urlencode()}",
        "live_refresh_seconds": REFRESH_SECONDS,
    }
    return render(request, "portal/client.html", context, status=status)


def _client_context(request: HttpRequest, client: Client) -> dict[str, Any]:
    return {
        "client": client,
        "standing": selectors.standing_of(client),
        "waiting": selectors.waiting_of(client),
        "page": selectors.client_documents_page(client, number=request.GET.get("page", "1")),
        "updated": date_format(timezone.localtime(), "H:i:s"),
    }


def _report(request: HttpRequest, dropped: services.Drop) -> None:
    priorities = [decision.priority for decision in dropped.counted]
    if priorities:
        messages.success(request, _received(priorities))
    if dropped.repeated:
        text = ngettext(
            "%(count)s document had been dropped before and was not counted again.",
            "%(count)s documents had been dropped before and were not counted again.",
            dropped.repeated,
        )
        messages.info(request, text % {"count": number_format(dropped.repeated)})


def _received(priorities: Sequence[int]) -> str:
    best, worst = min(priorities), max(priorities)
    values = {"count": number_format(len(priorities)), "best": best, "worst": worst}
    return _template_of(len(priorities), is_one=best == worst) % values


def _template_of(count: int, *, is_one: bool) -> str:
    if is_one:
        return ngettext(
            "%(count)s document dropped, with priority %(best)d.",
            "%(count)s documents dropped, with priority %(best)d.",
            count,
        )
    return ngettext(
        "%(count)s document dropped, with priorities from %(best)d to %(worst)d.",
        "%(count)s documents dropped, with priorities from %(best)d to %(worst)d.",
        count,
    )
