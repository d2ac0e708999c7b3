"""What the page on recoveries takes for granted: a customer."""

from doc_priority.services import create_customer


def prepare() -> dict[str, object]:
    create_customer("acme")
    return {}
