"""The addresses of the API, to be included under a prefix of the portal's choice."""

from django.urls import path, re_path

from doc_priority.api import documentation, views

app_name = "doc_priority"

urlpatterns = [
    path("customers/", views.CustomersView.as_view(), name="customers"),
    path("customers/<str:key>/", views.CustomerView.as_view(), name="customer"),
    path("customers/<str:key>/check/", views.CheckView.as_view(), name="check"),
    path("customers/<str:key>/reset/", views.ResetView.as_view(), name="reset"),
    path("customers/<str:key>/pin/", views.PinView.as_view(), name="pin"),
    path("customers/<str:key>/events/", views.EventsView.as_view(), name="events"),
    path("customers/<str:key>/documents/", views.DocumentsView.as_view(), name="documents"),
    path("checks/", views.BulkCheckView.as_view(), name="checks"),
    path("policies/", views.PoliciesView.as_view(), name="policies"),
    # A policy's name may have a slash in it.
    path("policies/<path:name>/", views.PolicyView.as_view(), name="policy"),
    path("stats/", views.StatsView.as_view(), name="stats"),
    path("schema/", documentation.SchemaView.as_view(), name="schema"),
    path("docs/", documentation.DocsView.as_view(), name="docs"),
    path("docs/<str:name>", documentation.AssetView.as_view(), name="asset"),
    # Below its own names only: the portal may have more under the same prefix.
    re_path(
        r"^(?:customers|checks|policies|stats|schema|docs)(?:/|\Z)",
        views.UnknownView.as_view(),
        name="unknown",
    ),
]
