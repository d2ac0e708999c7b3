"""How many items a call takes."""

import pytest

from doc_priority.exceptions import TooManyItems
from doc_priority.services.listing import MAX_ITEMS, listed


def test_as_many_as_are_promised() -> None:
    assert len(listed(range(MAX_ITEMS), of="keys")) == MAX_ITEMS == 100_000


def test_one_more_is_refused() -> None:
    with pytest.raises(TooManyItems, match="100001 keys are more than the 100000"):
        listed(range(MAX_ITEMS + 1), of="keys")
    with pytest.raises(TooManyItems, match="100001 or more items are more"):
        listed(iter(range(MAX_ITEMS + 5)), of="items")
