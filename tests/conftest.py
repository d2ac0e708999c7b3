"""What this machine can run, and a full account of what it did not."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, connections
from django.utils import translation
from hypothesis import settings as hypothesis_settings

from tests.browser.chrome import ENDED
from tests.databases import REPLICA, replica
from tests.servers import BROKERS

# A deadline measures the machine, not the code. In CI a change fails for what it does, not by luck.
hypothesis_settings.register_profile("ci", derandomize=True, deadline=None, max_examples=100)
hypothesis_settings.register_profile("dev", deadline=None)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

UNFOLD = "unfold" in settings.INSTALLED_APPS
"""Whether django-unfold is the admin's theme."""


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
    if UNFOLD:  # What Django says to the theme, not to us.
        config.addinivalue_line(
            "filterwarnings", r"ignore:Overriding get_action_choices\(\) without"
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of another database or theme run in a stage of their own, so nothing is skipped there.

    What this machine lacks is. A browser that ends by itself spoils one attempt of one test; what
    a test finds on a page stands.
    """
    here = {"mysql": "mariadb"}.get(connection.vendor, connection.vendor)
    obstacles = {broker.marker: broker.obstacle for broker in BROKERS}
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    obstacles["browser"] = f"{' and '.join(missing)} not found" if missing else ""
    kept, elsewhere = [], []
    for item in items:
        names = {marker.name for marker in item.iter_markers()}
        of_others = names & {"sqlite", "postgresql", "mariadb"} and here not in names
        (elsewhere if of_others or (UNFOLD and "plain" in names) else kept).append(item)
        for name in names & obstacles.keys():
            if obstacles[name]:
                item.add_marker(pytest.mark.skip(reason=obstacles[name]))
        if "browser" in names:
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=list(ENDED)))
    config.hook.pytest_deselected(items=elsewhere)
    items[:] = kept


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
