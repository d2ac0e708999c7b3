"""Every block of every page runs: `pytest tests/docs/test_blocks.py -k how-to/policies`."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.docs import running, services
from tests.docs.pages import ELSEWHERE, EXAMPLES, PAGES, given_for, name_of, own_blocks
from tests.docs.project import Project
from tests.docs.reading import ROOT, Page, read

pytestmark = [pytest.mark.sqlite, pytest.mark.timeout(running.SECONDS_OF_A_PAGE + 60)]


def parameters() -> Iterator[object]:
    """Each page with the markers of the brokers it needs."""
    for path in PAGES:
        needed = services.named(path.read_text(encoding="utf-8"))
        marks = [getattr(pytest.mark, name) for name in needed if name in services.BROKERS]
        yield pytest.param(path, id=name_of(path), marks=marks)


@pytest.fixture
def page(request: pytest.FixtureRequest) -> Page:
    return read(request.param)


@pytest.fixture
def project(page, tmp_path, monkeypatch, django_db_blocker) -> Iterator[Project | None]:
    """With the servers that the page needs."""
    project = None
    with ExitStack() as stack:
        if running.needs_project(page):
            project = Project(tmp_path, served=running.serves(page))
            stack.callback(project.stop)
            if "empty folder" not in page.marks:
                project.start_portal()
        for name in services.needed(page):
            stack.enter_context(django_db_blocker.unblock())
            tell(provided(stack, page, name, project), project, monkeypatch)
        yield project
        if project is not None:
            project.stop()


def provided(stack: ExitStack, page: Page, name: str, project: Project | None) -> dict[str, str]:
    if name in services.BROKERS:
        return stack.enter_context(services.BROKERS[name]())
    server = services.DATABASES[name]
    if reason := server.obstacle():
        pytest.skip(f"{name}: {reason}")
    settings = stack.enter_context(services.database_for(page, server))
    if project is not None and "empty folder" not in page.marks:
        project.append("portal/settings.py", services.settings_text(settings))
    return services.variables(server, settings)


def tell(
    variables: dict[str, str], project: Project | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    if project is not None:
        project.environment |= variables


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("page", list(parameters()), indirect=True)
def test_page(page, project):
    running.run(page, own_blocks(page), project, given_for(page.path))


@pytest.mark.parametrize(("of", "test"), list(ELSEWHERE.items()), ids=str)
def test_what_runs_elsewhere_does(of, test):
    name, language = of
    page = read(Path(ROOT, "docs", f"{name}.md"))

    assert language in {block.language for block in page.blocks}
    text = Path(ROOT, test).read_text(encoding="utf-8")
    assert page.path.name in text
    assert "def test_" in text


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run_elsewhere(name):
    assert f'"{name}"' in Path(ROOT, "tests/contrib/test_examples.py").read_text(encoding="utf-8")


def test_what_a_page_takes_for_granted_belongs_to_a_page():
    expected = {given_for(path) for path in PAGES}
    for path in given_for(PAGES[0]).parent.glob("*.py"):
        assert path.name == "__init__.py" or path in expected
