"""The addresses the tests ask for."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", include("doc_priority.api.urls")),
    path("metrics/", include("doc_priority.contrib.prometheus.urls")),
]
