"""Every service has a twin for async code that cannot drift from it."""

import inspect

import pytest
from asgiref.sync import async_to_sync

from doc_priority import services

SYNC = [
    name for name in services.__all__ if not name.startswith("a") or f"a{name}" in services.__all__
]


@pytest.mark.parametrize("name", SYNC)
def test_each_has_its_twin(name):
    twin = getattr(services, f"a{name}")
    assert inspect.iscoroutinefunction(twin.__call__)
    assert twin.func is getattr(services, name)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("document", ["", "D-1"])
def test_twins_do_the_same(document):
    async def work():
        first = await services.acheck("acme", document=document)
        await services.acheck_many(["acme", "acme"])
        return first, await services.apeek("acme"), await services.areset("acme", reason="async")

    first, seen, after = async_to_sync(work)()
    assert [decision.pending_documents for decision in (first, seen, after)] == [0, -2, 0]
