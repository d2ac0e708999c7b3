"""Live values that did not change are not sent again, and any change is seen."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from doc_priority import services
from doc_priority.models import Policy
from doc_priority.testing import FrozenTime, frozen_time
from tests.api.conftest import Caller
from tests.stored import everything_stored

pytestmark = pytest.mark.django_db

MORNING = datetime(2030, 1, 31, 9, 41, tzinfo=UTC)
CUSTOMER, LIST, STATS = "customers/acme/", "customers/", "stats/"
ADDRESSES = [CUSTOMER, LIST, STATS]
every_address = pytest.mark.parametrize("address", ADDRESSES)


@pytest.fixture(autouse=True)
def clock() -> Iterator[FrozenTime]:
    """A morning on which Acme has sent 14 documents."""
    with frozen_time(MORNING) as frozen:
        services.create_customer("acme", name="Acme")
        services.check_many(["acme"] * 14)
        yield frozen


def etag_of(root: Caller, address: str, **headers: str) -> str:
    answer = root.get(address, headers=headers)
    assert answer.status_code == 200, answer.content
    etag: str = answer["ETag"]
    return etag


def status_with(root: Caller, address: str, if_none_match: str) -> int:
    answer = root.get(address, headers={"If-None-Match": if_none_match})
    status: int = answer.status_code
    return status


@every_address
def test_the_same_has_the_same_etag_and_is_not_sent_again(
    root: Caller, clock: FrozenTime, address: str
) -> None:
    first = root.get(address)
    clock.tick(1)
    answer = root.get(address, headers={"If-None-Match": first["ETag"]})
    assert (answer.status_code, answer.content) == (304, b"")
    for header in ("ETag", "Cache-Control", "Vary"):
        assert answer[header] == first[header]
    assert "Content-Type" not in answer


def test_a_page_that_is_followed_by_others_is_not_sent_again(
    root: Caller, clock: FrozenTime
) -> None:
    services.create_customer("other")
    first = root.get("customers/?limit=1")
    assert first.json()["next"]
    clock.tick(1)
    assert status_with(root, "customers/?limit=1", first["ETag"]) == 304
    services.forget("other")
    assert status_with(root, "customers/?limit=1", first["ETag"]) == 200


@every_address
def test_what_is_sent_may_be_kept_by_its_reader_alone(root: Caller, address: str) -> None:
    answer = root.get(address)
    assert answer["Cache-Control"] == "private, no-cache"
    varies = {name.strip() for name in answer["Vary"].split(",")}
    assert {"Accept-Language", "Authorization", "Cookie"} <= varies


CHANGES: dict[str, Callable[[], object]] = {
    "check": lambda: services.check("acme"),
    "reset": lambda: services.reset("acme"),
    "pin": lambda: services.pin("acme", priority=7, until=MORNING + timedelta(hours=1)),
    "policy": lambda: services.set_policy("acme", policy="gold"),
    "rename": lambda: services.rename_customer("acme", name="Gold"),
}


@pytest.fixture
def gold() -> Policy:
    return Policy.objects.create(name="gold")


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("address", [CUSTOMER, LIST])
def test_a_change_is_seen(
    root: Caller, gold: Policy, address: str, change: Callable[[], object]
) -> None:
    before = etag_of(root, address)
    change()
    answer = root.get(address, headers={"If-None-Match": before})
    assert answer.status_code == 200
    assert answer["ETag"] != before


@pytest.mark.parametrize("change", ["reset", "pin"])
def test_a_change_is_seen_in_the_stats(root: Caller, change: str) -> None:
    before = etag_of(root, STATS)
    CHANGES[change]()
    assert status_with(root, STATS, before) == 200


def test_an_unpinned_customer_is_as_it_was(root: Caller) -> None:
    before = etag_of(root, CUSTOMER)
    CHANGES["pin"]()
    assert status_with(root, CUSTOMER, before) == 200
    services.unpin("acme")
    assert status_with(root, CUSTOMER, before) == 304


@every_address
@pytest.mark.parametrize("recovery", ["idle", "window", "halving"])
def test_time_alone_changes_it(
    root: Caller, clock: FrozenTime, address: str, recovery: str
) -> None:
    Policy.objects.create(name="named", recovery=recovery)
    services.set_policy("acme", policy="named")
    before, stored = etag_of(root, address), everything_stored()
    clock.tick(100)
    assert status_with(root, address, before) == 304
    clock.tick(1401)
    assert status_with(root, address, before) == 200
    assert everything_stored() == stored


@every_address
def test_the_end_of_a_pin_changes_it(root: Caller, clock: FrozenTime, address: str) -> None:
    services.pin("acme", priority=1, until=MORNING + timedelta(minutes=1))
    before = etag_of(root, address)
    clock.tick(60)
    assert status_with(root, address, before) == 200


@every_address
def test_several_etags_may_be_named(root: Caller, address: str) -> None:
    etag = etag_of(root, address)
    for named in (etag, f'"old", {etag}', f"W/{etag}", f'W/"old",{etag} , "x"', "*"):
        assert status_with(root, address, named) == 304, named
    for named in ('"old"', 'W/"old", "x"', etag.strip('"'), "", "W/*", "acme"):
        assert status_with(root, address, named) == 200, named


@every_address
def test_a_look_at_the_headers_alone(root: Caller, address: str) -> None:
    whole = root.get(address)
    head = root.request("HEAD", address)
    assert (head.status_code, head.content) == (200, b"")
    for header in ("ETag", "Content-Type", "Cache-Control", "Content-Length"):
        assert head[header] == whole[header]
    again = root.request("HEAD", address, headers={"If-None-Match": whole["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("address", [CUSTOMER, LIST])
def test_languages_differ(root: Caller, address: str) -> None:
    languages = ["en", "de", "es", "pl", "pt"]
    etags = [etag_of(root, address, **{"Accept-Language": language}) for language in languages]
    assert len(set(etags)) == 5


def test_pages_differ(root: Caller) -> None:
    services.create_customer("other")
    assert etag_of(root, LIST) != etag_of(root, "customers/?limit=1")
    assert etag_of(root, "customers/?priority=1") != etag_of(root, "customers/?priority=7")


def test_a_refusal_has_no_etag(root: Caller) -> None:
    answer: Any = root.get("customers/nobody/", headers={"If-None-Match": "*"})
    assert answer.status_code == 404
    assert "ETag" not in answer
