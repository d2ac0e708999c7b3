"""Run tests in this process, the app being imported for them alone."""

import resource
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings

PROFILE = "mutants"
"""Examples of Hypothesis as they come, and no time spent on smaller ones."""

hypothesis_settings.register_profile(
    PROFILE,
    database=None,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)

OPTIONS = (
    *("-q", "-x", "-rN", "--tb=no", "--no-header", "--no-summary", "--reuse-db"),
    *("-p", "pytest_django.plugin", "-p", "pytest_timeout", "-p", "no:cacheprovider"),
    # The process is warm: pytest came too late for what it would rewrite.
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)
MEMORY = 4 * 1024**3


@dataclass(eq=False)
class Chosen:
    """Of all that is collected these tests, in this order; all of them if none are named."""

    tests: Sequence[str]
    failed: str = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.tests:
            place = {name: number for number, name in enumerate(self.tests)}
            items[:] = [item for item in items if item.nodeid in place]
            items.sort(key=lambda item: place[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


@dataclass(eq=False)
class Timed:
    """How long each test took."""

    seconds: dict[str, float] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration


def run(files: Collection[str], *options: str, plugins: Sequence[object] = ()) -> int:
    return int(pytest.main([*OPTIONS, *options, *files], plugins=list(plugins)))


def limit(*, seconds: int) -> None:
    """A bug that loops or grows for ever ends here."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def is_warm_only() -> bool:
    return not any(name.partition(".")[0] == "doc_priority" for name in sys.modules)
