"""No script that somebody stored runs in a browser, even where no policy would forbid it."""

from contextlib import ExitStack

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from doc_priority import services
from doc_priority.models import Customer
from tests.browser.page import Page
from tests.factories import CounterFactory, CustomerFactory, PolicyFactory

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]


def test_no_stored_script_runs(admin: Page) -> None:
    """On no page, nor when a page is told by its scripts how things stand."""
    texts = (
        "<script>window.hacked=1</script>",
        '"><img src=x onerror=window.hacked=1>',
        "' autofocus onfocus='window.hacked=1' x='",
        "</script></textarea></title><svg onload=window.hacked=1>",
    )
    user = User.objects.create_superuser(texts[1], first_name=texts[1])
    for number, text in enumerate(texts):
        policy = PolicyFactory.create(name=text)
        customer = CustomerFactory.create(key=f"acme-{number}", name=text, policy=policy)
        CounterFactory.create(customer=customer, pending_documents=-13)
        services.check(customer.key, document=text)
        services.reset(customer.key, actor=text, reason=text, source=text)
        services.pin(customer.key, priority=8, until=None, actor=user, reason=text)
    customers = ",".join(str(pk) for pk in Customer.objects.values_list("pk", flat=True))
    # Before anything of a page runs; what runs late is kept, too.
    watch = """
        Object.defineProperty(window, "hacked", {
          set() { localStorage.setItem("hacked", location.href); },
        });
    """
    run = admin.driver.execute_cdp_cmd
    with ExitStack() as stack:
        run("Page.enable", {})
        run("Page.setBypassCSP", {"enabled": True})
        stack.callback(run, "Page.setBypassCSP", {"enabled": False})
        watching = run("Page.addScriptToEvaluateOnNewDocument", {"source": watch})
        stack.callback(run, "Page.removeScriptToEvaluateOnNewDocument", watching)
        admin.open("/admin/login/")
        admin.sign_in(user)
        for name in ("customer_changelist", "dashboard", "policy_changelist", "event_changelist"):
            admin.open(reverse(f"admin:doc_priority_{name}"))
            if name in ("customer_changelist", "dashboard"):
                admin.requested()
                admin.until(
                    lambda: any("live" in one for one in admin.requested()), "It never asks."
                )
        for name in ("reset", "pin", "unpin", "forget"):
            admin.open(f"{reverse(f'admin:doc_priority_customer_{name}')}?customer={customers}")
        for customer in Customer.objects.all():
            for page in ("change", "history"):
                admin.open(reverse(f"admin:doc_priority_customer_{page}", args=[customer.pk]))
        assert admin.script("return localStorage.getItem('hacked')") is None
        admin.script("window.hacked = 1")
        assert admin.script("return localStorage.getItem('hacked')")
        admin.script("localStorage.clear()")
