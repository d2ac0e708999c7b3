"""Which of doc_priority's customers somebody reaches through the REST API."""

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet

from doc_priority.models import Customer
from example_project.portal.models import Client


def customers_of(user: User | AnonymousUser) -> QuerySet[Customer]:
    """All of them for staff who may view clients; for everybody else those of their own clients."""
    customers = Customer.objects.all()
    if user.has_perm("portal.view_client"):
        return customers
    return customers.filter(key__in=Client.objects.visible_to(user).values("key"))
