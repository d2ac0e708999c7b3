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
