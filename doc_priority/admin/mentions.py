"""People and customers as pages mention them; a customer has a link while it exists."""

from typing import Any

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _


def linked(pk: int, *, key: str, name: str, site: str) -> SafeString:
    """A link to the customer's page; `site` is the name of the admin."""
    address = reverse("admin:doc_priority_customer_change", args=[pk], current_app=site)
    link = format_html('<bdi class="dp-mention"><a href="{}">{}</a></bdi>', address, name or key)
    if not name:
        return link
    return format_html('{} <span class="dp-note dp-mention">{}</span>', link, key)


def mentioned(event: Any, *, site: str) -> SafeString | str:
    """Whom an event is about; it was read by `selectors.with_customers`."""
    if not event.customer:
        return _everyone(event)
    if event.customer_pk is None:
        return written(event.customer)
    return linked(event.customer_pk, key=event.customer, name=event.customer_name, site=site)


def named(actor: str) -> SafeString:
    """Somebody's name in its own direction of writing."""
    return format_html("<bdi>{}</bdi>", actor or "–")


def written(text: str) -> SafeString:
    """What somebody wrote; the longest word breaks where there is no room."""
    return format_html('<bdi class="dp-mention">{}</bdi>', text or "–")


def _everyone(event: Any) -> str:
    name = event.after.get("policy") or event.before.get("policy", "")
    return _("every customer of the policy “%(policy)s”") % {"policy": name}
