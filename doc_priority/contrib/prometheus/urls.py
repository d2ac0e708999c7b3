"""The address of the metrics, under a prefix of the portal's choice."""

from django.urls import path

from doc_priority.contrib.prometheus.views import metrics

app_name = "doc_priority_prometheus"

urlpatterns = [path("", metrics, name="metrics")]
