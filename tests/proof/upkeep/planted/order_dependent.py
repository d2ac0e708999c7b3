"""Two tests of which one needs the other before it; pytest collects them only by this name."""

SEEN: list[str] = []


def test_puts_something_down() -> None:
    SEEN.append("something")


def test_takes_for_granted_what_another_test_put_down() -> None:
    assert SEEN == ["something"]
