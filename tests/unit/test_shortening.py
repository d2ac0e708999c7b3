"""What is left out of a long value or list is said, and no word is cut."""

import pytest

from doc_priority.shortening import joined, shortened


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("acme", "'acme'"),
        ("x" * 18, f"'{'x' * 18}'"),
        ("x" * 19, f"'{'x' * 19}…'"),
        ("first second third", "'first second third'"),
        ("first second thirds", "'first second…'"),
        ("first second a third", "'first second a…'"),
        ("a very-long-second-word", "'a very-long-second-…'"),
        ({"name": "a1.txt", "title": None}, "{'name': 'a1.txt'…"),
    ],
)
def test_a_long_value_ends_after_a_word(value: object, text: str) -> None:
    assert shortened(value, 20) == text


def test_the_first_names_and_how_many_more_there_are() -> None:
    assert joined([]) == ""
    assert joined("abc", most=2) == "a, b, c"
    assert joined("abcd", most=2) == "a, b and 2 more"
