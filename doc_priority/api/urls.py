"""The addresses of the API, to be included under a prefix of the portal's choice."""

from django.urls import path, re_path

from doc_priority.api.views.checks import BulkCheckEndpoint, CheckEndpoint
from doc_priority.api.views.corrections import PinEndpoint, ResetEndpoint
from doc_priority.api.views.customers import CustomerEndpoint, CustomersEndpoint
from doc_priority.api.views.documentation import AssetEndpoint, DocsEndpoint, SchemaEndpoint
from doc_priority.api.views.history import DocumentsEndpoint, EventsEndpoint
from doc_priority.api.views.policies import PoliciesEndpoint, PolicyEndpoint
from doc_priority.api.views.stats import StatsEndpoint
from doc_priority.api.views.unknown import UnknownEndpoint

app_name = "doc_priority"

urlpatterns = [
    path("customers/", CustomersEndpoint.as_view(), name="customers"),
    path("customers/<str:key>/", CustomerEndpoint.as_view(), name="customer"),
    path("customers/<str:key>/check/", CheckEndpoint.as_view(), name="check"),
    path("customers/<str:key>/reset/", ResetEndpoint.as_view(), name="reset"),
    path("customers/<str:key>/pin/", PinEndpoint.as_view(), name="pin"),
    path("customers/<str:key>/events/", EventsEndpoint.as_view(), name="events"),
    path("customers/<str:key>/documents/", DocumentsEndpoint.as_view(), name="documents"),
    path("checks/", BulkCheckEndpoint.as_view(), name="checks"),
    path("policies/", PoliciesEndpoint.as_view(), name="policies"),
    # A policy's name may have a slash in it.
    path("policies/<path:name>/", PolicyEndpoint.as_view(), name="policy"),
    path("stats/", StatsEndpoint.as_view(), name="stats"),
    path("schema/", SchemaEndpoint.as_view(), name="schema"),
    path("docs/", DocsEndpoint.as_view(), name="docs"),
    path("docs/<str:name>", AssetEndpoint.as_view(), name="asset"),
    # Below its own names only: the portal may have more under the same prefix.
    re_path(
        r"^(?:customers|checks|policies|stats|schema|docs)(?:/|\Z)",
        UnknownEndpoint.as_view(),
        name="unknown",
    ),
]
