"""Settings of a portal that has its own mind about REST in everything it may."""

from tests.settings import *  # noqa: F403


class NeverAsked:
    """Neither the portal's content negotiation nor its exception handler is."""

    def __init__(self, *arguments: object) -> None:
        raise AssertionError("The portal's own was asked.")


REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "example_project.portal.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.DjangoModelPermissions"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.BrowsableAPIRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.FormParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "tests.api.peculiar_portal.NeverAsked",
    "DEFAULT_VERSIONING_CLASS": "rest_framework.versioning.URLPathVersioning",
    "DEFAULT_VERSION": "v9",
    "ALLOWED_VERSIONS": ["v9"],
    "VERSION_PARAM": "key",
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "PAGE_SIZE": 1,
    "DEFAULT_FILTER_BACKENDS": ["rest_framework.filters.SearchFilter"],
    "SEARCH_PARAM": "state",
    "ORDERING_PARAM": "limit",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "tests.api.peculiar_portal.NeverAsked",
    "URL_FORMAT_OVERRIDE": "limit",
    "FORMAT_SUFFIX_KWARG": "name",
    "NON_FIELD_ERRORS_KEY": "reason",
    "UNAUTHENTICATED_USER": None,
    "DATETIME_FORMAT": "%d.%m.%Y",
    "DATETIME_INPUT_FORMATS": ["%d.%m.%Y"],
    "UNICODE_JSON": False,
    "COMPACT_JSON": False,
    "STRICT_JSON": False,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "The portal",
    "CAMELIZE_NAMES": True,
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": "/api/v[0-9]",
    "SCHEMA_PATH_PREFIX_TRIM": True,
    "SERVERS": [{"url": "https://portal.example"}],
}
