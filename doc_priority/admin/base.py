"""What all our pages share: the theme, permissions, titles and the parameters of addresses."""

import codecs
from collections.abc import Callable, Iterable
from copy import copy
from functools import wraps
from http import HTTPMethod
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from django.apps import apps
from django.contrib import admin
from django.contrib.admin import AdminSite
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ERROR_FLAG, IGNORED_PARAMS, PAGE_VAR
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.forms import Script
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from doc_priority.admin import refusals
from doc_priority.admin.signed_out import (
    keeps_typed,
    opened_by,
    say_nothing_was_done,
    typed_before,
)
from doc_priority.exceptions import DocPriorityError
from doc_priority.explanations import numeral
from doc_priority.models import Customer, Event
from doc_priority.querysets import alias_for_write

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

    ThemedAdmin = admin.ModelAdmin[Any]
else:
    # django-unfold's class where the portal has it: with Django's own, its list lacks the button
    # that runs an action.
    ThemedAdmin = import_module(
        "unfold.admin" if apps.is_installed("unfold") else admin.__name__
    ).ModelAdmin

SOURCE = "admin"
"""The source that events of the admin name."""


def address_of(site: str, name: str, *arguments: Any) -> str:
    """The address of a page; `site` is the name of the admin."""
    return reverse(f"admin:{name}", args=arguments, current_app=site)


def rendered(
    request: HttpRequest,
    site: AdminSite,
    template: str,
    *,
    title: "StrPromise | str",
    status: int = 200,
    **context: Any,
) -> TemplateResponse:
    """A page of ours in the admin's frame. Without `opts`: unfold would show it as the title."""
    request.current_app = site.name
    # The template looks for the title in another text, which fails with a lazy one.
    titles = {"title": str(title), "content_title": str(title)}
    return TemplateResponse(
        request,
        f"doc_priority/admin/{template}.html",
        {**site.each_context(request), **titles, **context},
        status=status,
    )


def scripts(*names: str) -> list[Any]:
    return [Script(f"doc_priority/{name}.js", defer=True) for name in names]


def is_number(text: str) -> bool:
    """Whether the text can be a primary key on every database."""
    return text.isascii() and text.isdigit() and len(text) < 19


def strict(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The view, for requests in UTF-8 only; what Django logs of a suspicious request is escaped."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        # Other charsets can contain lone surrogates, which cannot be stored or shown.
        if codecs.lookup(request.encoding or "utf-8").name != "utf-8":
            raise BadRequest("A request is in UTF-8.")
        try:
            return view(request, *args, **kwargs)
        except SuspiciousOperation as error:
            # `from None`: the log would show the original error, too, with the raw parameter name.
            escaped = str(error).encode("unicode_escape").decode("ascii")
            raise type(error)(escaped) from None

    return checked


class UnknownInAddress(BadRequest):
    """A parameter that the list does not accept: the message, and the values it may have.

    No IncorrectLookupParameters: Django answers that one with the whole list.
    """

    def __init__(
        self, parameter: str, message: str, choices: Iterable[tuple[Any, Any]] = ()
    ) -> None:
        super().__init__(message)
        self.parameter = parameter
        self.message = message
        self.choices = tuple(choices)


def unknown_value(
    parameter: str, value: str, *, title: Any, choices: Iterable[tuple[Any, Any]]
) -> UnknownInAddress:
    message = _("“%(value)s” is not a choice of the filter “%(filter)s”.") % {
        "value": quoted(value),
        "filter": title,
    }
    return UnknownInAddress(parameter, message, choices)


def quoted(text: str) -> str:
    """At most 50 printable characters of a part of an address; the page escapes them."""
    return "".join(filter(str.isprintable, text))[:50]


class BaseAdmin(ThemedAdmin):
    """A ModelAdmin with our titles that answers 400 to unknown parameters and values.

    Django would list all rows for an unknown value, and ignore an unknown name.
    """

    list_title: ClassVar["StrPromise"]
    page_title: ClassVar["StrPromise"]
    new_title: ClassVar["StrPromise | str"] = ""
    """Titles of the list, of a row and of the form for a new row. Django's titles are wrong in
    languages that inflect the model's name."""
    show_all: ClassVar["StrPromise"]
    """The text of the link to the whole list, on the page about a wrong address."""
    offered: ClassVar[dict[str, Iterable[tuple[Any, Any]]]] = {}
    """Parameters that are not filters, with the values they may have."""
    pages: ClassVar[tuple[type["Page"], ...]] = ()

    class Media:
        css: ClassVar = {"all": ["doc_priority/admin.css"]}

    def get_urls(self) -> list[URLPattern]:
        """Our pages come first, because Django's last address takes everything."""
        urls: list[URLPattern] = [*(page(self).url for page in self.pages), *super().get_urls()]
        for url in urls:
            url.callback = strict(keeps_typed(url.callback, self.admin_site))
        return urls

    def get_queryset(self, request: HttpRequest) -> Any:
        """Reads from the primary: users decide by these rows, and a replica may be late."""
        return super().get_queryset(request).using(alias_for_write())

    def formfield_for_foreignkey(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        return super().formfield_for_foreignkey(
            db_field, request, **{"using": alias_for_write(), **kwargs}
        )

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Any:
        """By its id if `_to_field` is empty; Django would look for a field without a name."""
        return super().get_object(request, object_id, from_field or None)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        context["title"] = self.new_title if kwargs.get("obj") is None else self.page_title
        context["opened_by"] = opened_by(request)
        return super().render_change_form(request, context, *args, **kwargs)

    def may_view_customers(self, request: HttpRequest) -> bool:
        """Whether this admin has the pages of customers, and the user may see them."""
        return self.admin_site.is_registered(Customer) and self.admin_site.get_model_admin(
            Customer
        ).has_view_permission(request)

    def response_action(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        # Django does not check that each selected value can be a primary key.
        if not all(map(is_number, request.POST.getlist(ACTION_CHECKBOX_NAME))):
            return self.response_to_unreadable_ticks(request)
        return super().response_action(request, *args, **kwargs)

    def response_to_unreadable_ticks(self, request: HttpRequest) -> HttpResponse:
        raise BadRequest("A selected row is not a number.")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        context = {"title": self.list_title, **(extra_context or {})}
        try:
            return super().changelist_view(request, context)
        except UnknownInAddress as unknown:
            return self._unknown_page(request, unknown)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        self._require_known_parameters(request)
        asked = request.GET.get(PAGE_VAR, "")
        query = request.GET.copy()
        query.pop(PAGE_VAR, None)
        try:
            listed = super().get_changelist_instance(request)
        except IncorrectLookupParameters:
            # If page 1 works, the number of the page is wrong; otherwise another parameter is.
            request.GET = query  # type: ignore[assignment]  # nobody changes it from here on
            listed = super().get_changelist_instance(request)
        last = listed.paginator.num_pages
        if not asked or (is_number(asked) and 1 <= int(asked) <= last):
            return listed
        message = _("There is no page “%(page)s”. The last page is %(last)s.") % {
            "page": quoted(asked),
            "last": numeral(last),
        }
        raise UnknownInAddress(PAGE_VAR, message)

    def _require_known_parameters(self, request: HttpRequest) -> None:
        for name, values in request.GET.lists():
            if name in {*IGNORED_PARAMS, PAGE_VAR, ERROR_FLAG}:
                continue
            for value in values:
                if self.lookup_allowed(name, value, request):
                    continue
                if name in self.offered:
                    raise unknown_value(name, value, title=name, choices=self.offered[name])
                message = _("This list has no filter “%(filter)s”.") % {"filter": quoted(name)}
                raise UnknownInAddress(name, message)

    def _unknown_page(self, request: HttpRequest, unknown: UnknownInAddress) -> HttpResponse:
        """What is wrong with the address, the possible values, and links to the list."""
        query = request.GET.copy()
        for name in (unknown.parameter, PAGE_VAR, ERROR_FLAG):
            query.pop(name, None)
        without = f"?{query.urlencode()}" if query else ""
        choices = []
        for value, label in unknown.choices:
            query[unknown.parameter] = str(value)
            choices.append((f"?{query.urlencode()}", label))
        return rendered(
            request,
            self.admin_site,
            "unknown",
            title=self.list_title,
            status=400,
            message=unknown.message,
            choices=choices,
            without=without,
            show_all=self.show_all,
        )


class SavedByServices(BaseAdmin):
    """A ModelAdmin whose form is saved by services; the form has a `reason` and a `refusal`.

    An error of a service becomes an error of the form. Fields sent while signed out come back.
    """

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        # Django passes only the request to get_form, so these values travel with the request.
        typed = typed_before(request)
        if typed is not None:
            request._doc_priority_typed = typed  # type: ignore[attr-defined]
            say_nothing_was_done(request)
        try:
            return super().changeform_view(request, *args, **kwargs)
        except DocPriorityError as error:
            # The transaction is rolled back; the form is shown again, with the error.
            request._doc_priority_refusal = refusals.in_words(error)  # type: ignore[attr-defined]
            return super().changeform_view(request, *args, **kwargs)

    def get_form(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        form: Any = super().get_form(request, *args, **kwargs)
        typed = getattr(request, "_doc_priority_typed", None)
        if typed is not None:
            unbound = form

            class FilledIn(unbound):  # type: ignore[misc,valid-type]
                """Bound on a GET, too: Django binds a form only on a POST."""

                def __init__(self, **kwargs: Any) -> None:
                    super().__init__(typed, **kwargs)

            form = FilledIn
        form.refusal = getattr(request, "_doc_priority_refusal", "")
        # Themes change the widgets of model fields only; the reason is a field of the form.
        themed: Any = self.formfield_for_dbfield(Event._meta.get_field("reason"), request)
        form.base_fields["reason"] = copy(form.base_fields["reason"])
        form.base_fields["reason"].widget = themed.widget
        return form


class Page:
    """One address under a ModelAdmin's own, for signed-in staff who have its permission."""

    route: ClassVar[str]
    name: ClassVar[str]
    methods: ClassVar[tuple[HTTPMethod, ...]] = (HTTPMethod.GET, HTTPMethod.HEAD)
    respond: Callable[..., HttpResponse]
    """Answers a permitted request; called with the arguments of the route."""

    def __init__(self, model_admin: ThemedAdmin) -> None:
        self.model_admin = model_admin
        self.site: AdminSite = model_admin.admin_site

    @property
    def url(self) -> URLPattern:
        view = self.site.admin_view(never_cache(self.view))
        return path(self.route, view, name=self.name)

    def view(self, request: HttpRequest, **arguments: Any) -> HttpResponse:
        if not self.is_permitted(request):
            raise PermissionDenied
        if request.method not in self.methods:
            return HttpResponseNotAllowed(self.methods)
        return self.respond(request, **arguments)

    def is_permitted(self, request: HttpRequest) -> bool:
        return self.model_admin.has_view_permission(request)
