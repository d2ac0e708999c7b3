"""Settings that cannot be used are named when they are, with the way to learn more."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from doc_priority import services
from doc_priority.conf import DEFAULTS
from doc_priority.conf import settings as app_settings
from doc_priority.models import Customer

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (None, "None, not a dict"),
        (["RESET_INTERVAL"], "not a dict"),
        ({"RESET_INTERVAL": 0}, "reset_interval 0"),
        ({"RESET_INTERVAL": 1500.0}, "reset_interval 1500.0"),
        ({"RESET_INTERVAL": []}, "unhashable"),
        ({"RECOVERY": "never"}, "recovery 'never'"),
        ({"THRESHOLDS": None}, "not iterable"),
        ({"THRESHOLDS": [-1, -2]}, "eight"),
        ({"LOCK_TIMEOUT_MS": "soon"}, "'soon'"),
    ],
)
def test_what_cannot_be_used_is_named(settings, given, named):
    settings.DOC_PRIORITY = given
    with pytest.raises(ImproperlyConfigured, match=named) as raised:
        services.check("acme")
    assert "manage.py check" in str(raised.value)
    assert not Customer.objects.exists()


def test_the_lock_timeout_may_be_longer_than_the_connections(settings):
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 60_000}
    assert services.check("acme").priority == 1


def test_every_key_has_a_default_and_is_read_when_used(settings):
    assert app_settings.document_retention_days == DEFAULTS["DOCUMENT_RETENTION_DAYS"]
    settings.DOC_PRIORITY = {"DOCUMENT_RETENTION_DAYS": 3}
    assert app_settings.document_retention_days == 3
    settings.DOC_PRIORITY["DOCUMENT_RETENTION_DAYS"] = 4
    assert app_settings.document_retention_days == 4


@pytest.mark.parametrize("name", ["API_MAX_PAGE_SIZE", "API_MAX_BULK", "EVENT_RETENTION_DAYS"])
def test_a_number_that_is_none_is_named(settings, name):
    settings.DOC_PRIORITY = {name: None}
    with pytest.raises(ImproperlyConfigured, match=rf"DOC_PRIORITY\['{name}'\] is None"):
        getattr(app_settings, name.lower())


@pytest.mark.parametrize("path", ["portal.nowhere.customers_of", "builtins.nothing", 5])
def test_a_reach_that_cannot_be_imported_is_named(settings, path):
    settings.DOC_PRIORITY = {"API_CUSTOMERS": path}
    with pytest.raises(ImproperlyConfigured, match=r"DOC_PRIORITY\['API_CUSTOMERS'\] is"):
        _ = app_settings.api_customers
