"""The portal's addresses."""

from functools import partial

from django.contrib import admin
from django.urls import include, path
from django.views import defaults
from django.views.i18n import set_language

from example_project.portal.tokens import RevokeToken, TakeToken

urlpatterns = [
    path("", include("example_project.portal.urls")),
    path("language/", set_language, name="set_language"),
    path("admin/", admin.site.urls),
    path("api/v1/", include("doc_priority.api.urls")),
    path("api/token/", TakeToken.as_view(), name="take-token"),
    path("api/token/revoke/", RevokeToken.as_view(), name="revoke-token"),
]

handler403 = partial(defaults.permission_denied, template_name="portal/403.html")
handler404 = partial(defaults.page_not_found, template_name="portal/404.html")
handler500 = partial(defaults.server_error, template_name="portal/500.html")
