"""A moment stands where it needs no article, because it may be a time, or a date and a time.

Spanish and Portuguese would have to say `desde las 2:53`, `desde la 1:05` and `desde el 22 de …`;
German and Polish say the same before all of them.
"""

import re

import pytest

from tests.project.catalogues import read
from tests.translations import PACKAGES

MOMENTS = ("clock", "end", "later", "moment", "next", "since", "start", "time", "until")
"""How messages name one."""

NEEDS_AN_ARTICLE = re.compile(rf"(?<=\w)(?<!\bhace)(?<!\bhá) %\((?:{'|'.join(MOMENTS)})\)s")
"""After `hace` and `há` stands no moment, but how long ago it was."""


def sentences(language: str) -> list[str]:
    return [
        translation
        for package in PACKAGES
        for message in read(package.catalogue(language)).values()
        for translation in message.translations
        if "token" not in translation.casefold()  # these begin in some way, but at no time
    ]


@pytest.mark.parametrize("language", ["es", "pt"])
def test_no_word_stands_before_a_moment(language: str) -> None:
    found = [one for one in sentences(language) if NEEDS_AN_ARTICLE.search(one)]
    assert found == []


@pytest.mark.parametrize(
    "sentence",
    ["desde %(since)s deja a", "a partir de las %(end)s.", "até %(until)s", "às %(clock)s, espera"],
)
def test_a_word_before_one_is_noticed(sentence: str) -> None:
    assert NEEDS_AN_ARTICLE.search(sentence)


@pytest.mark.parametrize(
    "sentence", ["contagem (%(since)s), 2", "hora: %(end)s", "%(time)s: 2", "desde hace %(time)s"]
)
def test_what_needs_no_article_is_left_alone(sentence: str) -> None:
    assert not NEEDS_AN_ARTICLE.search(sentence)
