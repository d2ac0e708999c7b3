"""The calls: each translates a request into a service or a query, and back."""

import binascii
import hashlib
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Never
from urllib.parse import quote

from django.conf import settings as django_settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.throttling import BaseThrottle, ScopedRateThrottle
from rest_framework.views import APIView

from doc_priority import services
from doc_priority.api.exceptions import problem_response
from doc_priority.api.filters import (
    CustomerQuery,
    DocumentQuery,
    EventQuery,
    PageQuery,
    live_rows,
    read_query,
)
from doc_priority.api.languages import language_of
from doc_priority.api.pagination import SignedCursorPagination
from doc_priority.api.parsers import (
    MAX_BODY,
    JSONNegotiation,
    JSONRenderer,
    LengthRequired,
    StrictJSONParser,
)
from doc_priority.api.permissions import (
    HasOperationPermission,
    customers_of,
    limits_of,
    require_customer,
    require_reach,
)
from doc_priority.api.schema import ServiceSchema, operation
from doc_priority.api.serializers import (
    BulkAnswer,
    BulkBody,
    CheckBody,
    CustomerAnswer,
    CustomerBody,
    CustomerChangeBody,
    CustomerPage,
    DecisionAnswer,
    DocumentPage,
    EventAnswer,
    EventPage,
    PinBody,
    PolicyAnswer,
    PolicyBody,
    PolicyChangeBody,
    PolicyPage,
    ReasonBody,
    ResetBody,
    StatsAnswer,
    decision_json,
)
from doc_priority.conf import settings
from doc_priority.exceptions import PolicyNotFound, not_found
from doc_priority.models import DocumentDecision, Event, Policy
from doc_priority.selectors import database_now, overview
from doc_priority.types import POLICY_NAME_LENGTH, from_microseconds
from doc_priority.validation import require_key, require_text, to_microseconds

SOURCE = "api"
"""Through what an event came to be."""

CHECK = "doc_priority_check"
READ = "doc_priority_read"
CHANGE = "doc_priority_change"

MAX_ITEM = 2560
"""Bytes of one item of a bulk check, every character of its document escaped."""


class JSONView(APIView):
    """Uses the portal's authentication, and no portal setting that would change the JSON.

    Errors stay in English, the language of the code that reads them, but for their titles.
    """

    http_method_names = ["get", "head", "post", "put", "patch", "delete"]  # noqa: RUF012
    renderer_classes = (JSONRenderer,)
    parser_classes = (StrictJSONParser,)
    content_negotiation_class = JSONNegotiation
    versioning_class = None
    # Django REST framework's sign to permissions that ask for a model: here is none.
    _ignore_model_permissions = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with translation.override(None):
            return super().dispatch(request, *args, **kwargs)

    def perform_authentication(self, request: Request) -> None:
        """Refuse credentials with a NUL, which would be an error on PostgreSQL.

        No server lets one through in a header, but Base64 and the octal escapes of a cookie hide
        it.
        """
        header = get_authorization_header(request)
        cookie = request.COOKIES.get(django_settings.SESSION_COOKIE_NAME, "")
        has_nul = b"\0" in header or "\0" in cookie
        words = header.split()
        if len(words) == 2 and words[0].lower() == b"basic":
            # Django REST framework says what is wrong with bad Base64.
            with suppress(binascii.Error):
                has_nul = has_nul or b"\0" in b64decode(words[1])
        if request.authenticators and has_nul:
            raise AuthenticationFailed(
                "The credentials have a NUL character in them; sign in with others."
            )
        super().perform_authentication(request)

    def get_exception_handler(self) -> Callable[..., Any]:
        return problem_response


class ServiceView(JSONView):
    """Each method is an `operation`, needs its permission and counts in a scope of throttling."""

    change_scope = CHANGE
    max_body = MAX_BODY
    schema = ServiceSchema()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        reads = request.method in ("GET", "HEAD")
        self.throttle_scope = READ if reads else self.change_scope
        # What the portal asks of everybody everywhere holds here, too.
        usual: Any = api_settings.DEFAULT_PERMISSION_CLASSES
        self.permission_classes = [HasOperationPermission, *usual]
        super().initial(request, *args, **kwargs)
        handler: Any = getattr(self, str(request.method).lower())
        self.query: dict[str, Any] = {}
        if reads or request.META.get("QUERY_STRING"):
            self.query = read_query(request, handler.query)
        # Django REST framework would not look at a body of unknown length; an ASGI server hands
        # it over without the header, too.
        if not reads and (
            "HTTP_TRANSFER_ENCODING" in request.META
            or (not request.META.get("CONTENT_LENGTH") and request._request.read(1))
        ):
            raise LengthRequired
        self.body: dict[str, Any] = handler.body.read(request.data) if handler.body else {}

    def get_throttles(self) -> list[BaseThrottle]:
        """The portal's default throttles without scoped ones, and the rate of this call's scope."""
        throttles: list[BaseThrottle] = []
        usual: Any = api_settings.DEFAULT_THROTTLE_CLASSES
        for throttle_class in usual:
            if not issubclass(throttle_class, ScopedRateThrottle):
                throttles.append(throttle_class())
        rates: Any = api_settings.DEFAULT_THROTTLE_RATES
        if rates.get(self.throttle_scope):
            scoped = ScopedRateThrottle()
            scoped.THROTTLE_RATES = rates
            throttles.append(scoped)
        return throttles


def conditional(request: Request, data: Any, *, values: Any = None) -> Response:
    """The data with the ETag of its values, by default itself; 304 if the caller has just them."""
    text = JSONRenderer().render(data if values is None else values)
    etag = f'"{hashlib.sha256(text).hexdigest()[:32]}"'
    known = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    same = "*" in known or etag in {tag.removeprefix("W/") for tag in known}
    response = Response(status=304) if same else Response(data)
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Accept-Language", "Authorization", "Cookie"])
    return response


def _live_customer(request: Request, key: str) -> Any:
    """The customer in the live list, in one query, explained in the language of the request."""
    require_key(key)
    customers = customers_of(request.user).live().select_related("counter", "policy")
    customer = customers.filter(key=key).first()
    if customer is None:
        raise not_found(key)
    with language_of(request):
        return CustomerAnswer(customer).data


class CheckView(ServiceView):
    change_scope = CHECK

    @operation("check_document", "check_customer", body=CheckBody, answer=DecisionAnswer)
    def post(self, request: Request, key: str) -> Response:
        """Count one document.

        A document that is named counts once: repeat the call as often as you need, and it
        answers the same with `"repeated": true`. Without a name every call counts.
        """
        limited = require_reach(request.user, [key])
        decision = services.check(key, **self.body, must_exist=limited)
        return Response(decision_json(decision))


class BulkCheckView(ServiceView):
    change_scope = CHECK

    @property
    def max_body(self) -> int:  # type: ignore[override]
        return MAX_BODY + MAX_ITEM * settings.api_max_bulk

    @operation(
        "check_documents", "check_customer", body=BulkBody, answer=BulkAnswer, statuses=(200, 404)
    )
    def post(self, request: Request) -> Response:
        """Count many documents, all of them or none.

        The decisions come in the order of the items.
        """
        items = self.body["items"]
        limited = require_reach(request.user, [key for key, _ in items])
        decisions = services.check_many(items, must_exist=limited)
        return Response({"decisions": [decision_json(decision) for decision in decisions]})


class CustomersView(ServiceView):
    @operation(
        "list_customers",
        "view_customer",
        query=CustomerQuery,
        answer=CustomerPage,
        statuses=(200, 304, 404),
    )
    def get(self, request: Request) -> Response:
        """The live list: every customer and what it stands at now.

        Time stands still for the pages of one listing. In the order of `customer` everybody
        comes once; in the order of a live value a customer that is checked or reset
        meanwhile may come twice or not at all.
        """
        now = to_microseconds(database_now())
        listing = f"customers.{self.query['ordering']}"
        pages = SignedCursorPagination(request, self.query, listing=listing, now=now)
        after, order = live_rows(
            customers_of(request.user), self.query, now=from_microseconds(pages.begun_at)
        )
        rows = pages.paginate(after, order)
        with language_of(request):
            results = CustomerAnswer(rows, many=True).data
        response = pages.get_paginated_response(results)
        if "cursor" in self.query:
            return response
        # A later page tells what was when its listing began, and is not asked for again. The links
        # of the first one tell that time, which is another one at every request.
        values = [results, *(link is None for link in pages.links.values())]
        return conditional(request, response.data, values=values)

    @operation(
        "create_customer",
        "add_customer",
        body=CustomerBody,
        answer=CustomerAnswer,
        statuses=(201, 404, 409),
    )
    def post(self, request: Request) -> Response:
        """Make a customer before its first document."""
        key, name, policy = self.body["customer"], self.body["name"], self.body["policy"] or None
        services.create_customer(key, name=name, policy=policy, among=limits_of(request.user))
        location = request.build_absolute_uri(f"{request.path}{key}/")
        return Response(_live_customer(request, key), 201, headers={"Location": location})


class CustomerView(ServiceView):
    @operation("peek_customer", "view_customer", answer=CustomerAnswer, statuses=(200, 304))
    def get(self, request: Request, key: str) -> Response:
        """Look at a customer; nothing is counted."""
        return conditional(request, _live_customer(request, key))

    @operation("change_customer", "change_customer", body=CustomerChangeBody, answer=CustomerAnswer)
    def patch(self, request: Request, key: str) -> Response:
        """Change a customer's name or policy."""
        require_reach(request.user, [key])
        if "name" in self.body or "policy" in self.body:
            among = limits_of(request.user)
            services.change_customer(
                key, **self.body, actor=request.user, source=SOURCE, among=among
            )
        return Response(_live_customer(request, key))

    @operation("forget_customer", "delete_customer", body=ReasonBody, statuses=(204, 409))
    def delete(self, request: Request, key: str) -> Response:
        """Erase a customer and what is kept of it.

        One event stays and says who did it, when and why.
        """
        require_key(key)
        require_reach(request.user, [key])
        services.forget(key, **self.body, actor=request.user, source=SOURCE)
        return Response(status=204)


class ResetView(ServiceView):
    @operation("reset_customer", "reset_customer", body=ResetBody, answer=DecisionAnswer)
    def post(self, request: Request, key: str) -> Response:
        """Put the counter to 0.

        It is kept as an event, with who did it and why.
        """
        require_reach(request.user, [key])
        decision = services.reset(key, **self.body, actor=request.user, source=SOURCE)
        return Response(decision_json(decision))


class PinView(ServiceView):
    @operation("pin_customer", "pin_customer", body=PinBody, answer=DecisionAnswer)
    def put(self, request: Request, key: str) -> Response:
        """Set the priority by hand until a time.

        With `null` for `until` it holds until somebody takes the pin off.
        """
        require_reach(request.user, [key])
        decision = services.pin(key, **self.body, actor=request.user, source=SOURCE)
        return Response(decision_json(decision))

    @operation("unpin_customer", "pin_customer", body=ReasonBody, answer=DecisionAnswer)
    def delete(self, request: Request, key: str) -> Response:
        """Let the counter decide again.

        Without a pin nothing changes.
        """
        require_reach(request.user, [key])
        decision = services.unpin(key, **self.body, actor=request.user, source=SOURCE)
        return Response(decision_json(decision))


class EventsView(ServiceView):
    @operation("list_events", "view_customer", query=EventQuery, answer=EventPage)
    def get(self, request: Request, key: str) -> Response:
        """Who did what to a customer, newest first."""
        pages = SignedCursorPagination(request, self.query, listing="events")
        require_customer(request.user, key)
        events = Event.objects.primary().filter(customer=key)
        if "kind" in self.query:
            events = events.filter(kind=self.query["kind"])
        rows = pages.paginate(events.after, ["-created_at", "-id"])
        return pages.get_paginated_response(EventAnswer(rows, many=True).data)


class DocumentsView(ServiceView):
    @operation("list_documents", "view_customer", query=DocumentQuery, answer=DocumentPage)
    def get(self, request: Request, key: str) -> Response:
        """What was decided for a customer's named documents, newest first."""
        pages = SignedCursorPagination(request, self.query, listing="documents")
        require_customer(request.user, key)
        documents = DocumentDecision.objects.primary().filter(customer_id=key)
        if "document" in self.query:
            documents = documents.filter(document=self.query["document"])
        rows = pages.paginate(documents.after, ["-decided_at", "-document"])
        return pages.get_paginated_response([decision_json(row.decision) for row in rows])


class PoliciesView(ServiceView):
    @operation(
        "list_policies", "view_policy", query=PageQuery, answer=PolicyPage, statuses=(200, 404)
    )
    def get(self, request: Request) -> Response:
        """The named policies; the default one is in the portal's settings."""
        pages = SignedCursorPagination(request, self.query, listing="policies")
        rows = pages.paginate(Policy.objects.primary().after, ["name"])
        return pages.get_paginated_response(PolicyAnswer(rows, many=True).data)

    @operation(
        "create_policy", "add_policy", body=PolicyBody, answer=PolicyAnswer, statuses=(201, 409)
    )
    def post(self, request: Request) -> Response:
        """Make a policy that customers can be given."""
        policy = services.create_policy(**self.body, actor=request.user, source=SOURCE)
        location = request.build_absolute_uri(f"{request.path}{quote(policy.name, safe='')}/")
        return Response(PolicyAnswer(policy).data, 201, headers={"Location": location})


class PolicyView(ServiceView):
    @operation("read_policy", "view_policy", answer=PolicyAnswer)
    def get(self, request: Request, name: str) -> Response:
        """What a policy says."""
        require_text(name, name="policy", length=POLICY_NAME_LENGTH)
        policy = Policy.objects.primary().filter(name=name).first()
        if policy is None:
            raise PolicyNotFound(f"There is no policy with the name {name!r}; create it first.")
        return Response(PolicyAnswer(policy).data)

    @operation("change_policy", "change_policy", body=PolicyChangeBody, answer=PolicyAnswer)
    def patch(self, request: Request, name: str) -> Response:
        """Change what a policy says, for everyone who has it."""
        policy = services.change_policy(name, **self.body, actor=request.user, source=SOURCE)
        return Response(PolicyAnswer(policy).data)

    @operation("delete_policy", "delete_policy", body=ReasonBody, statuses=(204, 409))
    def delete(self, request: Request, name: str) -> Response:
        """Delete a policy that no customer has."""
        services.delete_policy(name, **self.body, actor=request.user, source=SOURCE)
        return Response(status=204)


class StatsView(ServiceView):
    @operation("read_stats", "view_customer", answer=StatsAnswer, statuses=(200, 304))
    def get(self, request: Request) -> Response:
        """Customers per live priority, counting now, at 7 to 9, pinned.

        Of the customers within this user's reach.
        """
        return conditional(request, StatsAnswer(overview(customers_of(request.user))).data)


class UnknownView(JSONView):
    """Every other address below the API's own answers 404, in the same form as every error."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> Never:
        remedy = "" if request.path.endswith("/") else " Every address ends with a slash."
        raise NotFound(f"There is nothing at this address.{remedy}")
