"""The addresses of the portal's own pages."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from example_project.portal import views

app_name = "portal"
urlpatterns = [
    path("", views.start, name="start"),
    path(
        "login/",
        LoginView.as_view(template_name="portal/login.html", redirect_authenticated_user=True),
        name="login",
    ),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("new-client/", views.create, name="create"),
    path("clients/<slug:key>/", views.client, name="client"),
    path("clients/<slug:key>/live/", views.client_live, name="client-live"),
    path("clients/<slug:key>/drop/", views.drop, name="drop"),
    path("clients/<slug:key>/rename/", views.rename, name="rename"),
    path("clients/<slug:key>/delete/", views.delete, name="delete"),
    path("documents/", views.documents, name="documents"),
    path("documents/<int:pk>/again/", views.try_again, name="try-again"),
    path("queue/", views.queue, name="queue"),
]
