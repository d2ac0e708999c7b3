"""The addresses the tests ask for."""

from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("doc_priority.api.urls")),
]
