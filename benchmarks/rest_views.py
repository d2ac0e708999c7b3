"""The views that `benchmarks.rest` compares, each under an address of its own."""

import time
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.urls import include, path
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ModelViewSet

from doc_priority import rules
from doc_priority.conf import settings
from doc_priority.models import Counter, DocumentDecision
from doc_priority.services import check
from doc_priority.types import Decision, from_microseconds, optional_moment, utc_text


class LeanestView(APIView):
    """The least Django REST framework takes to authenticate, count and answer; no permission."""

    permission_classes = ()
    parser_classes = (JSONParser,)
    renderer_classes = (JSONRenderer,)

    def post(self, request: Request, key: str) -> Response:
        return Response(_as_json(check(key, document=request.data.get("document", ""))))


def _as_json(decision: Decision) -> dict[str, Any]:
    return {
        "customer": decision.customer,
        "document": decision.document,
        "pending_documents": decision.pending_documents,
        "priority": decision.priority,
        "pinned": decision.pinned,
        "reset": decision.reset,
        "repeated": decision.repeated,
        "decided_at": utc_text(decision.decided_at),
        "resets_at": utc_text(decision.resets_at) if decision.resets_at else None,
        "policy": decision.policy,
    }


class DocumentSerializer(serializers.Serializer[Any]):
    """What is asked of the usual way."""

    document = serializers.CharField(required=False, max_length=200)


class DecisionSerializer(serializers.ModelSerializer[DocumentDecision]):
    """What the usual way answers."""

    customer = serializers.CharField(source="customer_id")
    repeated = serializers.BooleanField()
    decided_at = serializers.DateTimeField()
    resets_at = serializers.DateTimeField()

    class Meta:
        model = DocumentDecision
        exclude = ("id",)


class CounterViewSet(ModelViewSet[Counter]):
    """The usual way: lock the row, compute in Python, save; all who are signed in may."""

    serializer_class = DecisionSerializer
    lookup_url_kwarg = "key"

    def get_queryset(self) -> QuerySet[Counter]:
        # MariaDB cannot say which table to lock, and locks all three.
        of = ("self",) if connection.features.has_select_for_update_of else ()
        return Counter.objects.select_related("customer__policy").select_for_update(of=of)

    def check(self, request: Request, key: str) -> Response:
        asked = DocumentSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        with transaction.atomic():
            decision = _decided_once(self.get_object(), asked.validated_data.get("document", ""))
        return Response(self.get_serializer(decision).data)


def _decided_once(counter: Counter, document: str) -> DocumentDecision:
    """The decision on a document; one that has a name is kept with it."""
    if not document:
        return _counted(counter, document)
    kept = DocumentDecision.objects.filter(customer_id=counter.pk, document=document).first()
    if kept is not None:
        kept.repeated = True  # type: ignore[attr-defined]
        return kept
    decision = _counted(counter, document)
    decision.save()
    return decision


def _counted(counter: Counter, document: str) -> DocumentDecision:
    """Read, think, save."""
    policy = counter.customer.policy
    terms = policy.terms if policy else settings.default_policy.terms
    after = rules.check(counter.state, terms, time.time_ns() // 1000)
    now = from_microseconds(after.updated_at or 0)
    counter.pending_documents = after.pending_documents
    counter.updated_at, counter.recovered_at = now, from_microseconds(after.recovered_at or 0)
    counter.save(update_fields=["pending_documents", "updated_at", "recovered_at"])
    pinned = counter.pinned_until is not None and now < counter.pinned_until
    decision = DocumentDecision(
        customer_id=counter.pk,
        document=document,
        pending_documents=after.pending_documents,
        priority=counter.pinned_priority
        if pinned
        else rules.priority_of(after.pending_documents, terms.thresholds),
        pinned=pinned,
        reset=after.recovered_at == after.updated_at,
        policy=policy.name if policy else "",
        decided_at=now,
        resets_at=optional_moment(rules.resets_at(after, terms)),
    )
    decision.repeated = False  # type: ignore[attr-defined]
    return decision


urlpatterns = [
    path("api/", include("doc_priority.api.urls")),
    path("leanest/customers/<str:key>/check/", LeanestView.as_view()),
    path("usual/customers/<str:key>/check/", CounterViewSet.as_view({"post": "check"})),
]
