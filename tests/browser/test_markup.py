"""No script that somebody stored runs in a browser, even where no policy would forbid it."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from doc_priority import services
from doc_priority.models import Customer
from tests.factories import CounterFactory, CustomerFactory, PolicyFactory

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

TEXTS = (
    "<script>window.hacked=1</script>",
    '"><img src=x onerror=window.hacked=1>',
    "' autofocus onfocus='window.hacked=1' x='",
    "</script></textarea></title><svg onload=window.hacked=1>",
)
WATCH = """
    Object.defineProperty(window, "hacked", {
      set() { localStorage.setItem("hacked", location.href); },
    });
"""
"""Before anything of a page runs; what runs late is kept, too."""


@pytest.fixture
def admin(admin: Any) -> Any:
    """The browser without the strict policy, which watches for scripts of ours."""
    driver = admin.driver
    driver.execute_cdp_cmd("Page.enable", {})
    driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    watch = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    yield admin
    driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", watch)
    driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})


def test_no_stored_script_runs(admin: Any) -> None:
    """On no page, nor when a page is told by its scripts how things stand."""
    user = User.objects.create_superuser(TEXTS[1], first_name=TEXTS[1])
    for number, text in enumerate(TEXTS):
        policy = PolicyFactory.create(name=text)
        customer = CustomerFactory.create(key=f"acme-{number}", name=text, policy=policy)
        CounterFactory.create(customer=customer, pending_documents=-13)
        services.check(customer.key, document=text)
        services.reset(customer.key, actor=text, reason=text, source=text)
        services.pin(customer.key, priority=8, until=None, actor=user, reason=text)
    customers = ",".join(str(pk) for pk in Customer.objects.values_list("pk", flat=True))
    admin.open("/admin/login/")
    admin.sign_in(user)
    for name in ("customer_changelist", "dashboard", "policy_changelist", "event_changelist"):
        admin.open(reverse(f"admin:doc_priority_{name}"))
        if name in ("customer_changelist", "dashboard"):
            admin.requested()
            admin.until(lambda: any("live" in one for one in admin.requested()), "It never asks.")
    for name in ("reset", "pin", "unpin", "forget"):
        admin.open(f"{reverse(f'admin:doc_priority_customer_{name}')}?customer={customers}")
    for customer in Customer.objects.all():
        for page in ("change", "history"):
            admin.open(reverse(f"admin:doc_priority_customer_{page}", args=[customer.pk]))
    assert admin.script("return localStorage.getItem('hacked')") is None
    admin.script("window.hacked = 1")
    assert admin.script("return localStorage.getItem('hacked')")
    admin.script("localStorage.clear()")
