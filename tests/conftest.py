"""What this machine can run, and a full account of what it did not."""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, connections
from django.utils import translation
from hypothesis import settings as hypothesis_settings

from tests.browser.chrome import ENDED
from tests.databases import REPLICA, replica
from tests.servers import BROKERS, Broker

# A deadline measures the machine, not the code.
hypothesis_settings.register_profile("ci", derandomize=False, deadline=None, max_examples=300)
hypothesis_settings.register_profile("dev", deadline=None)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

DATABASE_MARKERS = {"sqlite3": "sqlite", "postgresql": "postgresql", "mysql": "mariadb"}
UNFOLD = "unfold" in settings.INSTALLED_APPS
"""Whether django-unfold is the admin's theme."""

WARNINGS_OF_UNFOLD = (r"Overriding get_action_choices\(\) without",)
"""What Django says to the theme, not to us."""

BROWSER = ("chromium", "chromedriver")
"""Programs the tests of pages need."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("doc_priority")
    group.addoption("--strict-skips", action="store_true", help="Fail when a test was skipped.")
    group.addoption(
        "--not-run",
        action="append",
        default=[],
        metavar="NAME: REASON",
        help="Name, before the last line, something that was left out before pytest started.",
    )
    group.addoption(
        "--full", action="store_true", help="Let proofs run with the figures that are promised."
    )


def pytest_configure(config: pytest.Config) -> None:
    if UNFOLD:
        for message in WARNINGS_OF_UNFOLD:
            config.addinivalue_line("filterwarnings", f"ignore:{message}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    deselect_other_databases(config, items)
    deselect_other_themes(config, items)
    for broker in BROKERS:
        skip_without(broker, [item for item in items if item.get_closest_marker(broker.marker)])
    browsing = [item for item in items if item.get_closest_marker("browser")]
    skip_without_browser(browsing)
    browse_again(browsing)


def deselect_other_databases(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of another database run in that database's own stage; nothing is skipped."""
    engine = settings.DATABASES["default"]["ENGINE"].rpartition(".")[2]
    others = set(DATABASE_MARKERS.values()) - {DATABASE_MARKERS[engine]}

    def runs_here(item: pytest.Item) -> bool:
        names = {marker.name for marker in item.iter_markers()}
        return DATABASE_MARKERS[engine] in names or not names & others

    config.hook.pytest_deselected(items=[item for item in items if not runs_here(item)])
    items[:] = [item for item in items if runs_here(item)]


def deselect_other_themes(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of what a theme does not change run where there is none; nothing is skipped."""
    if UNFOLD:
        plain = [item for item in items if item.get_closest_marker("plain")]
        config.hook.pytest_deselected(items=plain)
        items[:] = [item for item in items if item not in plain]


def skip_without(broker: Broker, needing: Sequence[pytest.Item]) -> None:
    if needing and broker.obstacle:
        for item in needing:
            item.add_marker(pytest.mark.skip(reason=broker.obstacle))


def skip_without_browser(items: Iterable[pytest.Item]) -> None:
    missing = [name for name in BROWSER if shutil.which(name) is None]
    for item in items if missing else ():
        item.add_marker(pytest.mark.skip(reason=f"{' and '.join(missing)} not found"))


def browse_again(items: Iterable[pytest.Item]) -> None:
    """Once more in a new browser, where the browser ended by itself; what a test finds stands."""
    for item in items:
        item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=list(ENDED)))


@pytest.fixture(scope="session")
def full(pytestconfig: pytest.Config) -> bool:
    """Whether a proof runs with the figures that are promised, which takes minutes to hours."""
    return bool(pytestconfig.getoption("--full"))


@pytest.fixture(autouse=True)
def nobody_left_a_language_behind() -> Iterator[None]:
    """Django's LocaleMiddleware leaves the language of the last request to its thread."""
    yield
    translation.deactivate()


@pytest.fixture
def replica_away(db: None, tmp_path: Path) -> Iterator[None]:
    """Reads are sent to where nothing answers; Django, too, lets no test open such a connection."""
    place = {"NAME": str(tmp_path / "no such folder" / "file")}
    if connection.vendor != "sqlite":
        place = {"HOST": "127.0.0.1", "PORT": "1"}
    with replica(**place):
        yield


@pytest.fixture
def lagging_replica(db: None) -> Iterator[None]:
    """Reads are sent to where nothing of what the test writes has arrived yet."""
    with replica():
        connections[REPLICA].connect()
        yield


@pytest.fixture(params=["replica_away", "lagging_replica"])
def replica_lags_or_away(request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(request.param)


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter is not None and reporter.stats.get("skipped")
    if skipped and session.config.getoption("--strict-skips"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    not_run = config.getoption("--not-run")
    terminalreporter.ensure_newline()
    if not_run:
        terminalreporter.section("skipped: this machine cannot run it")
        for line in not_run:
            terminalreporter.write_line(line)
    if config.getoption("--strict-skips") and terminalreporter.stats.get("skipped"):
        terminalreporter.section("failed: --strict-skips allows none of the skips named below")
