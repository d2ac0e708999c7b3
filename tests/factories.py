"""Rows for the tests, each with the values it needs and no others."""

from datetime import UTC, datetime, timedelta

import factory

from doc_priority.models import Counter, Customer, DocumentDecision, Event, Policy


def now() -> datetime:
    return datetime.now(UTC)


class PolicyFactory(factory.django.DjangoModelFactory[Policy]):
    """A policy with the default terms; override what matters."""

    class Meta:
        model = Policy

    name = factory.Sequence(lambda number: f"policy {number}")


class CustomerFactory(factory.django.DjangoModelFactory[Customer]):
    """A customer under the default policy who never sent a document and has no counter yet."""

    class Meta:
        model = Customer

    key = factory.Sequence(lambda number: f"customer-{number}")
    name = factory.LazyAttribute(lambda customer: f"Customer {customer.key}")


class CounterFactory(factory.django.DjangoModelFactory[Counter]):
    """A counter that was updated just now, and recovered then too."""

    class Meta:
        model = Counter

    class Params:
        pinned = factory.Trait(
            pinned_priority=1, pinned_until=factory.LazyFunction(lambda: now() + timedelta(hours=1))
        )

    customer = factory.SubFactory(CustomerFactory)
    updated_at = factory.LazyFunction(now)
    recovered_at = factory.SelfAttribute("updated_at")


class DocumentDecisionFactory(factory.django.DjangoModelFactory[DocumentDecision]):
    """A decision made just now for a customer's first document."""

    class Meta:
        model = DocumentDecision

    customer = factory.SubFactory(CustomerFactory)
    document = factory.Sequence(lambda number: f"document-{number}")
    pending_documents = 0
    priority = 1
    decided_at = factory.LazyFunction(now)
    resets_at = factory.LazyAttribute(lambda one: one.decided_at + timedelta(seconds=1500))


class EventFactory(factory.django.DjangoModelFactory[Event]):
    """A reset by hand, just now."""

    class Meta:
        model = Event

    customer = factory.Sequence(lambda number: f"customer-{number}")
    kind = Event.Kind.RESET
    actor = "support"
    reason = "asked on the phone"
    created_at = factory.LazyFunction(now)


PENDING = {1: -1, 2: -3, 3: -5, 4: -7, 5: -9, 6: -11, 7: -13, 8: -15, 9: -21}
"""A count for each priority under the default policy."""


def at_priority(priority: int, **fields: object) -> Customer:
    """A customer that is counting now, under the default policy."""
    customer = CustomerFactory.create(**fields)
    CounterFactory.create(customer=customer, pending_documents=PENDING[priority])
    return customer


def at_rest(**fields: object) -> Customer:
    """A customer whose last document was long ago."""
    customer = CustomerFactory.create(**fields)
    long_ago = now() - timedelta(days=2)
    CounterFactory.create(customer=customer, pending_documents=-30, updated_at=long_ago)
    return customer


def pinned(priority: int, **fields: object) -> Customer:
    """A customer that long sent nothing, pinned for an hour."""
    customer = at_rest(**fields)
    customer.counter.pinned_priority = priority
    customer.counter.pinned_until = now() + timedelta(hours=1)
    customer.counter.save()
    return customer
