"""The small parts: limits of lists, long values, log lines, and extras that are missing or old.

What the wheel alone says of its extras is asked in `.ci/wheel.py`.
"""

import ast
import tomllib
from pathlib import Path

import pytest

import doc_priority
from doc_priority.exceptions import TooManyItems
from doc_priority.extras import lower_bounds, require
from doc_priority.validation import MAX_ITEMS, joined, require_list, shortened

ROOT = Path(__file__).resolve().parents[2]


def test_limits_of_lists_and_of_long_values() -> None:
    assert len(require_list(range(MAX_ITEMS), of="keys")) == MAX_ITEMS == 100_000
    with pytest.raises(TooManyItems, match="100001 keys are more than the 100000"):
        require_list(range(MAX_ITEMS + 1), of="keys")
    with pytest.raises(TooManyItems, match="100001 or more items are more"):
        require_list(iter(range(MAX_ITEMS + 5)), of="items")

    for value, text in [
        ("acme", "'acme'"),
        ("x" * 18, f"'{'x' * 18}'"),
        ("x" * 19, f"'{'x' * 19}…'"),
        ("first second third", "'first second third'"),
        ("first second thirds", "'first second…'"),
        ("first second a third", "'first second a…'"),
        ("a very-long-second-word", "'a very-long-second-…'"),
        ({"name": "a1.txt", "title": None}, "{'name': 'a1.txt'…"),
    ]:
        assert shortened(value, 20) == text

    # The first names, and how many more there are.
    assert joined([]) == ""
    assert joined("abc", most=2) == "a, b, c"
    assert joined("abcd", most=2) == "a, b and 2 more"


def test_every_line_that_is_logged_has_an_action_and_one_logger() -> None:
    """So that a program can tell them apart."""
    found = 0
    for path in Path(doc_priority.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert text.count("getLogger(") == text.count('getLogger("doc_priority")'), path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("logger."):
                found += 1
                (extra,) = (one.value for one in node.keywords if one.arg == "extra")
                assert "'action':" in ast.unparse(extra), path
    assert found


def test_what_is_missing_names_its_extra() -> None:
    require("api", "django", "rest_framework")
    with pytest.raises(ModuleNotFoundError) as raised:
        require("celery", "django", "no_such_module")
    assert raised.value.name == "no_such_module"
    assert str(raised.value) == (
        "no_such_module is not installed, and this part of doc_priority needs it: "
        "pip install 'django-doc-priority[celery]'"
    )

    # The bounds are those of the package.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in ("api", "celery", "opentelemetry", "procrastinate", "prometheus", "tasks"):
        found = {requirement for requirement, name, lowest in lower_bounds(extra)}
        written = set(project["optional-dependencies"][extra])
        assert found == written, "reinstall the package: pip install --editable ."


def test_what_is_too_old_names_both_versions_and_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = iter(range(100))

    def install(celery: str, *requirements: str) -> None:
        """Let distributions be found as pip leaves them, before any other of their names."""
        folder = tmp_path / str(next(folders))
        monkeypatch.syspath_prepend(str(folder))
        needed = [f"Requires-Dist: {requirement}" for requirement in requirements]
        for name, version, lines in [
            ("django-doc-priority", "9.0", needed),
            *([("celery", celery, [])] if celery else []),
        ]:
            place = folder / f"{name.replace('-', '_')}-{version}.dist-info"
            place.mkdir(parents=True)
            lines = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}", *lines, ""]
            (place / "METADATA").write_text("\n".join(lines), encoding="utf-8")

    install("5.5.3", "celery[redis]<7,>=5.6; extra == 'celery'")
    with pytest.raises(ImportError) as raised:
        require("celery", "celery")
    assert str(raised.value) == (
        "celery 5.5.3 is installed, and this part of doc_priority needs 5.6 or newer: "
        "pip install 'celery[redis]<7,>=5.6'"
    )
    assert raised.value.name == "celery"

    # Versions that are too old or new enough.
    for old in ("0.1", "5.5.99", "5.5.99rc1", "4.12", "5"):
        install(old, 'celery>=5.6; extra == "celery"')
        with pytest.raises(ImportError, match=f"celery {old} is installed"):
            require("celery", "celery")
    for lowest in ("5.6", "5.6.0"):
        for new in ("5.6", "5.6.0", "5.6.0rc1", "5.10", "10", "5.6+local", "5.7.dev0"):
            install(new, f"celery>={lowest}; extra == 'celery'")
            require("celery", "celery")

    # No bounds: those of another extra, of a library that lies in a folder, of an app that does.
    install("", "django>=99", "celery>=99; extra == 'celery'")
    require("api", "django")
    install("", "vendored>=99; extra == 'celery'")
    require("celery", "django")
    monkeypatch.setattr("sys.path", [str(ROOT)])
    assert list(lower_bounds("celery")) == []
    require("celery", "doc_priority")
