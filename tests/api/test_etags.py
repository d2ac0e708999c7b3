"""Live values that did not change are not sent again, and any change is seen."""

from datetime import timedelta

import pytest

from doc_priority import services
from doc_priority.models import Policy
from doc_priority.testing import FrozenTime
from tests.api.conftest import MORNING, Caller
from tests.databases import everything_stored

pytestmark = pytest.mark.django_db

CUSTOMER, LIST, STATS = "customers/acme/", "customers/", "stats/"
ADDRESSES = [CUSTOMER, LIST, STATS]


@pytest.fixture(autouse=True)
def acme(clock: FrozenTime) -> None:
    services.create_customer("acme", name="Acme")
    services.check_many(["acme"] * 14)


def etag_of(root: Caller, address: str, **headers: str) -> str:
    answer = root.get(address, headers=headers)
    assert answer.status_code == 200, answer.content
    return str(answer["ETag"])


def status_with(root: Caller, address: str, if_none_match: str) -> int:
    return int(root.get(address, headers={"If-None-Match": if_none_match}).status_code)


def test_the_same_has_the_same_etag_and_is_not_sent_again(root: Caller, clock: FrozenTime) -> None:
    services.create_customer("other")
    for address in (*ADDRESSES, "customers/?limit=1"):
        first = root.get(address)
        assert first["Cache-Control"] == "private, no-cache"
        varies = {name.strip() for name in first["Vary"].split(",")}
        assert {"Accept-Language", "Authorization", "Cookie"} <= varies

        clock.tick(1)
        again = root.get(address, headers={"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        for header in ("ETag", "Cache-Control", "Vary"):
            assert again[header] == first[header]
        assert "Content-Type" not in again

        whole, head = root.get(address), root.request("HEAD", address)
        assert (head.status_code, head.content) == (200, b"")
        for header in ("ETag", "Content-Type", "Cache-Control", "Content-Length"):
            assert head[header] == whole[header]
        head = root.request("HEAD", address, headers={"If-None-Match": whole["ETag"]})
        assert (head.status_code, head.content) == (304, b"")


def test_a_change_is_seen(root: Caller) -> None:
    Policy.objects.create(name="gold")
    services.create_customer("other")
    until, first_page = MORNING + timedelta(hours=1), "customers/?limit=1"

    for name, change, addresses in (
        ("check", lambda: services.check("acme"), (CUSTOMER, LIST)),
        ("reset", lambda: services.reset("acme"), (CUSTOMER, LIST, STATS)),
        ("pin", lambda: services.pin("acme", priority=7, until=until), (CUSTOMER, LIST, STATS)),
        ("policy", lambda: services.set_policy("acme", policy="gold"), (CUSTOMER, LIST)),
        ("rename", lambda: services.rename_customer("acme", name="Gold"), (CUSTOMER, LIST)),
        ("forget", lambda: services.forget("other"), (LIST, STATS, first_page)),
    ):
        before = {address: etag_of(root, address) for address in addresses}
        change()
        for address, etag in before.items():
            answer = root.get(address, headers={"If-None-Match": etag})
            assert answer.status_code == 200, (name, address)
            assert answer["ETag"] != etag


@pytest.mark.parametrize("recovery", ["idle", "window", "halving"])
def test_time_alone_changes_it(root: Caller, clock: FrozenTime, recovery: str) -> None:
    Policy.objects.create(name="named", recovery=recovery)
    services.set_policy("acme", policy="named")
    before, stored = {one: etag_of(root, one) for one in ADDRESSES}, everything_stored()

    clock.tick(100)
    assert {status_with(root, *one) for one in before.items()} == {304}
    clock.tick(1401)
    assert {status_with(root, *one) for one in before.items()} == {200}
    assert everything_stored() == stored


def test_a_pin_and_its_end_change_it(root: Caller, clock: FrozenTime) -> None:
    unpinned = etag_of(root, CUSTOMER)
    services.pin("acme", priority=1, until=MORNING + timedelta(minutes=1))
    before = {address: etag_of(root, address) for address in ADDRESSES}
    assert before[CUSTOMER] != unpinned

    clock.tick(60)

    assert {status_with(root, *one) for one in before.items()} == {200}
    services.unpin("acme")
    assert status_with(root, CUSTOMER, unpinned) == 304


def test_several_etags_may_be_named(root: Caller) -> None:
    etag = etag_of(root, CUSTOMER)

    for named in (etag, f'"old", {etag}', f"W/{etag}", f'W/"old",{etag} , "x"', "*"):
        assert status_with(root, CUSTOMER, named) == 304, named
    for named in ('"old"', 'W/"old", "x"', etag.strip('"'), "", "W/*", "acme"):
        assert status_with(root, CUSTOMER, named) == 200, named


def test_languages_and_pages_differ_and_a_refusal_has_none(root: Caller) -> None:
    services.create_customer("other")

    for address in (CUSTOMER, LIST):
        languages = ("en", "de", "es", "pl", "pt")
        etags = [etag_of(root, address, **{"Accept-Language": one}) for one in languages]
        assert len(set(etags)) == 5
    assert etag_of(root, LIST) != etag_of(root, "customers/?limit=1")
    assert etag_of(root, "customers/?priority=1") != etag_of(root, "customers/?priority=7")
    refused = root.get("customers/nobody/", headers={"If-None-Match": "*"})
    assert refused.status_code == 404
    assert "ETag" not in refused
