"""The portal's addresses."""

from functools import partial

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path
from django.views import defaults
from django.views.i18n import set_language

from example_project.portal import views
from example_project.portal.tokens import RevokeToken, TakeToken

login = LoginView.as_view(template_name="portal/login.html", redirect_authenticated_user=True)
pages = [
    path("", views.start, name="start"),
    path("login/", login, name="login"),
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
urlpatterns = [
    path("", include((pages, "portal"))),
    path("language/", set_language, name="set_language"),
    path("admin/", admin.site.urls),
    path("api/v1/", include("doc_priority.api.urls")),
    path("api/token/", TakeToken.as_view(), name="take-token"),
    path("api/token/revoke/", RevokeToken.as_view(), name="revoke-token"),
]

handler403 = partial(defaults.permission_denied, template_name="portal/403.html")
handler404 = partial(defaults.page_not_found, template_name="portal/404.html")
handler500 = partial(defaults.server_error, template_name="portal/500.html")
