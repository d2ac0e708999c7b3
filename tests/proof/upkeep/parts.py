"""What is mutated where, and by which tests it is tried."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.settings import BASE_DIR

COUNTERS = "doc_priority/counters"


class Part(NamedTuple):
    title: str
    files: tuple[str, ...]
    tests: tuple[str, ...]
    """All that may notice."""
    weak_tests: tuple[str, ...]
    """Some that cannot."""
    sample: int
    """How many mutants the short form tries."""
    sample_tests: tuple[str, ...]
    """Few that notice most."""
    sample_files: tuple[str, ...] = ()
    """What these tests are about, if not all files."""


def _services() -> tuple[str, ...]:
    found = (BASE_DIR / "doc_priority" / "services").glob("*.py")
    return tuple(sorted(str(Path(file).relative_to(BASE_DIR)) for file in found))


ONE_AT_A_TIME = ("tests/unit", "tests/db")
ALSO_AT_ONCE = (*ONE_AT_A_TIME, "tests/concurrency")
FIELDS = ("tests/db/test_fields.py",)
OF_CHECKS = tuple(
    f"tests/db/test_{name}.py"
    for name in ("boundaries", "checking", "bulk", "bad_input", "signals")
)
SERVICES_OF_CHECKS = tuple(f"doc_priority/services/{name}.py" for name in ("bulk", "checking"))

PARTS: Mapping[str, tuple[Part, ...]] = {
    "sqlite": (
        Part(
            "the rule",
            ("doc_priority/rules.py",),
            ("tests/unit/test_rules.py",),
            ("tests/unit/test_logging.py",),
            20,
            ("tests/unit/test_rules.py",),
        ),
        Part(
            "counting on SQLite",
            tuple(f"{COUNTERS}/{name}.py" for name in ("__init__", "once", "rows", "sqlite")),
            ALSO_AT_ONCE,
            FIELDS,
            6,
            OF_CHECKS,
        ),
        Part(
            "the services",
            _services(),
            ALSO_AT_ONCE,
            FIELDS,
            6,
            OF_CHECKS,
            SERVICES_OF_CHECKS,
        ),
    ),
    "postgresql": (
        Part(
            "counting on PostgreSQL",
            (f"{COUNTERS}/postgresql.py", f"{COUNTERS}/postgresql_function.py"),
            ALSO_AT_ONCE,
            FIELDS,
            6,
            OF_CHECKS,
        ),
    ),
    "mariadb": (
        Part(
            "counting on MariaDB",
            (f"{COUNTERS}/mysql.py",),
            ALSO_AT_ONCE,
            FIELDS,
            6,
            OF_CHECKS,
        ),
    ),
}
