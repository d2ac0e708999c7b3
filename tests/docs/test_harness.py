"""The harness itself: what is wrong on a page fails, and where it says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.project import Project, answers
from tests.docs.reading import PageError, read
from tests.docs.running import needs_project, run, serves
from tests.docs.services import named, needed

pytestmark = pytest.mark.sqlite


@pytest.fixture
def run_page(tmp_path) -> Callable[..., Project | None]:
    """Runs a page of this text, with the file of what it takes for granted."""

    def run_it(text: str, given: str = "") -> Project | None:
        Path(tmp_path, "page.md").write_text(text, encoding="utf-8")
        Path(tmp_path, "given.py").write_text(given, encoding="utf-8")
        page = read(tmp_path / "page.md")
        project = Project(tmp_path, served=serves(page)) if needs_project(page) else None
        try:
            run(page, list(page.blocks), project, tmp_path / "given.py")
        finally:
            if project is not None:
                project.stop()
        return project

    return run_it


def block(language: str, text: str, comment: str = "") -> str:
    return f"# Page\n\n{comment}\n```{language}\n{text}\n```\n"


def console(text: str, comment: str = "") -> str:
    return block("console", text, comment)


def test_a_page_without_blocks_is_fine(run_page):
    run_page("# Page\n\nWords, and `code`.\n")


@pytest.mark.parametrize(
    "page",
    [
        block("python", "assert 1 + 1 == 2"),
        block("python", "import asyncio\nawait asyncio.sleep(0)\ndone = True"),
        block("json", '{"a": [1]}'),
        block("toml", "a = 1"),
        block("yaml", "a: [1]"),
        block("html", "{% if a %}b{% endif %}"),
        block("text", "anything"),
        block("cobol", "anything", "<!-- shown: nobody here can run it -->"),
        console("$ true\n$ false || true"),
        console("$ echo one; echo two\none\ntwo"),
        console("$ echo 'one  '; echo two >&2\none\ntwo\n"),
        console("$ printf 'a\\nb\\nc'\na\n…\nc"),
        console("$ printf 'a\\nc'\na\n…\nc"),
        console("$ echo 12 documents\n… documents"),
        console("$ echo one \\\n    two\none two"),
        console("$ mkdir a && cd a\n$ export B=c\n$ basename $PWD; echo $B\na\nc"),
        console("$ exit 3", "<!-- fails -->"),
        console("$ python -c 'import sys; sys.exit(\"no\")'\nno", "<!-- fails -->"),
        console("$ pip install 'django-doc-priority[api]'"),
        console("$ PORT=8001 make demo"),
        console("$ python -c 'import doc_priority'"),
        console("$ env | grep -c -E '^(COV|DJANGO|PYTEST)' || true\n0"),
        console("$ cat a.txt\nb", "").replace(
            "# Page", "# Page\n\n<!-- file: a.txt -->\n```text\nb\n```"
        ),
    ],
)
def test_what_is_true_passes(run_page, page):
    run_page(page)


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (block("python", "ok = 1\nassert ok == 2"), "page.md:6: AssertionError"),
        (block("python", "a = ("), "page.md:4: SyntaxError"),
        (block("python", "def test_it():\n    assert False"), "Nothing calls test_it"),
        (block("json", "{a: 1}"), "page.md:4: Not json"),
        (block("toml", "a"), "Not toml"),
        (block("yaml", "a: ["), "Not yaml"),
        (block("html", "{% if a %}"), "Not html"),
        (block("cobol", "MOVE"), "page.md:4: A block in cobol cannot be run"),
        (block("sql", "SELECT 1"), "A block in sql cannot be run"),
        (block("", "ls"), "A block in no language cannot be run"),
        (block("python", "1", "<!-- shown -->"), "'shown' takes more after a colon"),
        (block("python", "1", "<!-- shown: -->"), "'shown' takes more after a colon"),
        (console("$ true", "<!-- fails: yes -->"), "'fails' takes nothing after it"),
        (block("python", "1", "<!-- flie: a.py -->"), "'flie: a.py' is none of"),
        ("<!-- fails -->\n\nWords.\n", "page.md:1: No block comes after 'fails'"),
        ("Words.\n\n<!-- shown: so -->\n", "page.md:3: No block comes after 'shown: so'"),
        ("Words:\n\n    indented\n", "page.md:3: Indented code"),
        (console("$ true\n$ false\n$ true"), "page.md:6: 'false' ended with 1"),
        (console("$ false | true"), "'false | true' ended with 1"),
        (console("$ echo one\ntwo"), "page.md:5: 'echo one' should print\ntwo"),
        (console("$ echo one\none\ntwo"), "should print"),
        (console("$ echo one; echo two\none"), "should print"),
        (console("$ true\none"), "should print"),
        (console("$ echo a1b\na.b"), "should print"),
        (console("$ echo one\ntwo", "<!-- fails -->"), "'echo one' ended with 0"),
        (console("$ false\n$ true", "<!-- fails -->"), "page.md:6: 'true' ended with 0"),
        (console("$ nonexistent", "<!-- fails -->"), "ended with 127"),
        (console("echo one"), "page.md:5: A console block begins with"),
        ("```console\n```\n", "page.md:1: A console block without a command"),
        (console("$ pip install no-such-distribution"), "ended with 1"),
        (console("$ make no-such-target"), "ended with 2"),
        (console("$ true\n$ true", "<!-- background -->"), "One command at a time"),
        (console("$ true\nready", "<!-- background -->"), "true is not ready"),
        (block("python", "(", "<!-- file: a.py -->"), "page.md:4: "),
        (block("text", "a", "<!-- append: a.txt -->"), "No such file"),
        (block("text", "a", "<!-- file: ../a.txt -->"), "lies outside the page's folder"),
    ],
)
def test_what_is_not_true_fails_and_says_where(run_page, page, told):
    with pytest.raises(PageError) as caught:
        run_page(page)

    assert told in str(caught.value)


def test_a_server_that_nobody_has_is_named(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("<!-- needs: redis oracle -->\n# Page\n", encoding="utf-8")

    assert named(path.read_text(encoding="utf-8")) == ["redis", "oracle"]
    with pytest.raises(PageError, match="'oracle' is none of"):
        needed(read(path))


def test_django_must_bear_what_was_written(run_page):
    page = block("python", "import nothing", "<!-- file: manage.py -->")

    with pytest.raises(PageError, match="'nothing'"):
        run_page(page)


def test_a_command_that_does_not_end_is_stopped(tmp_path):
    project = Project(tmp_path)

    assert project.run("echo one; read -r < <(sleep 60)", seconds=0.5).output.startswith("one\n")
    assert project.run("sleep 60", seconds=0.1).code == -9


def test_what_a_page_takes_for_granted(run_page):
    run_page(block("python", "assert a + b == 3"), "a = 1\ndef prepare():\n    return {'b': 2}")


def test_a_portal_is_prepared(run_page):
    given = "def portal(project):\n    project.write('a.txt', 'b')"
    run_page(console("$ cat a.txt\nb"), given)


def test_blocks_of_a_page_share_their_names(run_page):
    run_page("```python\na = 1\n```\n\n- In a list:\n\n  ```python\n  assert a == 1\n  ```\n")


def test_a_fence_within_a_fence_is_text(run_page):
    run_page("````text\n```cobol\n```\n````\n")


SERVER = """\
<!-- background -->
```console
$ python -m http.server --bind 127.0.0.1 8000
```

```console
$ python -c 'from urllib.request import urlopen as u; print(u("http://127.0.0.1:8000/").status)'
200
$ echo http://127.0.0.1:8000/
http://127.0.0.1:8000/
```
"""


def test_a_server_runs_on_a_port_of_its_own_until_the_page_ends(run_page):
    project = run_page(SERVER)

    assert project is not None
    assert project.port != 8000
    assert not answers(project.port)


def test_what_runs_in_the_background_is_ended_when_a_block_fails(run_page):
    with pytest.raises(PageError, match="ended with 1"):
        run_page(f"{SERVER}\n```console\n$ (exit 1)\n```\n")


def test_a_failure_in_the_background_is_told(run_page):
    command = "$ trap 'exit 4' TERM; echo ready; read -r < <(sleep 60)\nready"

    with pytest.raises(PageError, match=r"has failed:\nready"):
        run_page(console(command, "<!-- background -->"))
