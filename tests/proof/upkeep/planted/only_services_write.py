"""Writes past the services."""

from django.db.models import QuerySet

from doc_priority.models import Customer


def rename(customer: Customer, name: str) -> None:
    customer.name = name
    customer.save(update_fields=["name"])  # planted


def rename_all(customers: QuerySet[Customer], name: str) -> None:
    customers.update(name=name)  # planted


async def forget(customers: QuerySet[Customer]) -> None:
    await customers.adelete()  # planted


def make(keys: list[str]) -> None:
    Customer.objects.bulk_create([Customer(key=key) for key in keys])  # planted
    made: dict[str, str] = {}
    made.update(dict.fromkeys(keys, ""))
