"""What the page on signals takes for granted: a way to write to the support."""


def mail_support(customer: str, decision: object) -> None:
    """The portal's own."""
