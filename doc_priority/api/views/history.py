"""What was decided for a customer and what was done to it, newest first."""

from rest_framework.request import Request
from rest_framework.response import Response

from doc_priority.api import answers, examples
from doc_priority.api.endpoint import Endpoint
from doc_priority.api.operations import Operation
from doc_priority.api.pages import Cursor, limit_of, links_of, page_of
from doc_priority.api.queries import DocumentQuery, EventQuery
from doc_priority.api.reach import require_customer
from doc_priority.api.throttles import READ
from doc_priority.models import DocumentDecision, Event


class EventsEndpoint(Endpoint):
    """`customers/{key}/events/`"""

    operations = {  # noqa: RUF012 - declared as class data
        "get": Operation(
            id="list_events",
            summary="Who did what to a customer, newest first",
            permission="doc_priority.view_customer",
            scope=READ,
            query=EventQuery,
            answer=answers.EventPage,
            answered={"A page": examples.page_of(examples.EVENT)},
        )
    }

    def get(self, request: Request, key: str) -> Response:
        cursor = Cursor.of(self.query, kinds=(int, int), ordering="events")
        require_customer(request.user, key)
        events = Event.objects.primary().filter(customer=key)
        if "kind" in self.query:
            events = events.filter(kind=self.query["kind"])
        order = ("-created_at", "-id")
        page = page_of(events.after, order=order, limit=limit_of(self.query), cursor=cursor)
        results = [answers.of_event(event) for event in page.rows]
        return self.answer({**links_of(request, page), "results": results})


class DocumentsEndpoint(Endpoint):
    """`customers/{key}/documents/`"""

    operations = {  # noqa: RUF012 - declared as class data
        "get": Operation(
            id="list_documents",
            summary="What was decided for a customer's named documents, newest first",
            permission="doc_priority.view_customer",
            scope=READ,
            query=DocumentQuery,
            answer=answers.DocumentPage,
            answered={"A page": examples.page_of(examples.DECISION)},
        )
    }

    def get(self, request: Request, key: str) -> Response:
        cursor = Cursor.of(self.query, kinds=(int, str), ordering="documents")
        require_customer(request.user, key)
        documents = DocumentDecision.objects.primary().filter(customer_id=key)
        if "document" in self.query:
            documents = documents.filter(document=self.query["document"])
        order = ("-decided_at", "-document")
        page = page_of(documents.after, order=order, limit=limit_of(self.query), cursor=cursor)
        results = [answers.of_document(row) for row in page.rows]
        return self.answer({**links_of(request, page), "results": results})
