"""Texts that would be markup, and whether a page made markup of them."""

import re
from html.parser import HTMLParser

MARK = "hacked"
"""Every one of the texts bears it, where it would become the name of an element, of an attribute,
or what an attribute or a script runs."""

MARKUP = (
    "<script>window.hacked=1</script>",
    '"><img src=x onerror=window.hacked=1 hacked>',
    "' onmouseover='window.hacked=1' hacked='",
    '" autofocus onfocus="window.hacked=1" hacked="',
    "</script><script>window.hacked=1//",
    "</textarea></title></style><hacked onclick=hacked=1>",
    "--><svg hacked onload=window.hacked=1>",
    "<svg><script hacked>window.hacked=1</script>",
    "<a href=javascript:window.hacked=1 hacked>",
    "&lt;hacked&gt;<hacked>",
    "&#60;hacked&#62;",
    "<iframe srcdoc='<script>parent.hacked=1</script>'>",
)
NO_MARKUP = (
    "javascript:window.hacked=1",
    "data:text/html,<script>window.hacked=1</script>",
    "{{7*7}}hacked",
    "{% now 'Y' %}hacked",
    "${7*7}hacked",
    "%(hacked)s %s %d %(count)d {hacked} {0.__class__}",
    "\\u003cscript\\u003ewindow.hacked=1",
    "`${window.hacked=1}`",
)
TEXTS = (*MARKUP, *NO_MARKUP)

RUN = re.compile(r"^[\s\0-\x1f]*(javascript|vbscript|data)\s*:", re.IGNORECASE)
ADDRESSES = frozenset(("href", "src", "action", "formaction", "xlink:href", "srcdoc", "data"))
CODE = frozenset(("script", "style"))


class Reading(HTMLParser):
    """A page as a browser reads it: what came out of the texts, and what is said."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.said: list[str] = []
        self._element = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._element = tag
        if MARK in tag:
            self.faults.append(f"an element <{tag}>")
        for name, value in attrs:
            self._attribute(tag, name, value or "")

    def _attribute(self, tag: str, name: str, value: str) -> None:
        self.said.append(value)
        runs = (name.startswith("on") or name == "style") and MARK in value
        leads = name in ADDRESSES and MARK in value and (RUN.match(value) or name == "srcdoc")
        if MARK in name or runs or leads:
            self.faults.append(f"<{tag} {name}={value[:80]!r}>")

    def handle_endtag(self, tag: str) -> None:
        self._element = ""

    def handle_data(self, data: str) -> None:
        self.said.append(data)
        if self._element in CODE and MARK in data:
            self.faults.append(f"<{self._element}> {data[:80]!r}")

    def handle_comment(self, data: str) -> None:
        if MARK in data:
            self.faults.append(f"<!--{data[:80]}-->")

    unknown_decl = handle_pi = handle_decl = handle_comment


def reading_of(html: str) -> Reading:
    reading = Reading()
    reading.feed(html)
    reading.close()
    return reading
