"""The reference says what the code says, all of it."""

import ast
import re
from collections import Counter

import pytest

from doc_priority import conf, exceptions, services, signals
from doc_priority.contrib.prometheus import metrics
from doc_priority.types import Decision
from tests.reference import checks, commands, errors, messages, rest_operations
from tests.reference.pages import PAGES, REMEDY, Page, current, names_of_parts
from tests.reference.reading import tree_of
from tests.reference.settings import meanings_of_keys
from tests.reference.source import texts_below

every_page = pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])

PAGE = {page.name: page for page in PAGES}

IDS = {
    "doc_priority.checks": "E001-E017 W001-W005",
    "doc_priority.contrib.celery": "E018-E029 E050 W017-W029",
    "doc_priority.contrib.tasks": "E030-E038 W030-W031",
    "doc_priority.contrib.procrastinate": "E040-E044 W040-W042",
    "doc_priority.contrib.prometheus": "E051",
}
"""Portals silence checks by their ids: one that is here stays where it is, whatever comes."""


def text(name: str) -> str:
    return PAGE[name].path.read_text("utf-8")


def ids_of(written: str) -> set[str]:
    """`E001-E003 W001` in full."""
    return {
        f"{letter}{number:03}"
        for letter, first, last in re.findall(r"([EW])(\d{3})(?:-[EW](\d{3}))?", written)
        for number in range(int(first), int(last or first) + 1)
    }


@every_page
def test_the_page_says_what_the_code_says(page: Page) -> None:
    assert page.path.read_text("utf-8") == current(page), f"{page.name} is out of date: {REMEDY}"


@every_page
def test_the_page_has_a_place_for_each_part_and_for_no_other(page: Page) -> None:
    assert sorted(names_of_parts(page)) == sorted(page.parts)
    marks = re.findall("<!-- (?:generated: |end -->)", page.path.read_text("utf-8"))
    assert len(marks) == 2 * len(page.parts)


@every_page
def test_the_page_says_how_it_is_made(page: Page) -> None:
    assert "`make reference`" in page.path.read_text("utf-8").splitlines()[-1]


def test_every_setting_has_a_meaning() -> None:
    assert list(meanings_of_keys()) == list(conf.DEFAULTS)
    for key in conf.DEFAULTS:
        assert f"| `{key}` |" in text("settings")


def test_every_service_is_described() -> None:
    page = text("services")
    for name in services.__all__:
        called = f"### {name}\n" if not name.startswith("a") else f"`await {name}(…)`"
        assert called in page, name


def test_every_field_of_a_decision_has_a_meaning() -> None:
    assert list(texts_below(Decision)) == list(Decision.__dataclass_fields__)


def test_every_signal_is_described() -> None:
    for name in signals.__all__:
        assert f"### {name}\n" in text("signals"), name


def test_every_error_says_what_helps() -> None:
    for error in errors.all_errors():
        assert f"| `{error.__name__}` | `{error.code}` |" in text("errors")
        assert errors.remedy(error) or error is exceptions.DocPriorityError, error.__name__


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [error.code for error in errors.all_errors()]
    assert len(codes) == len(set(codes))


def test_every_problem_of_rest_is_told() -> None:
    for problem in errors.problems_of_rest():
        assert f"`{problem.default_code}`" in text("errors"), problem.__name__


def test_every_argument_of_every_subcommand_says_what_it_is() -> None:
    for name, parser in commands.subcommands().items():
        assert f"## {name}\n" in text("commands")
        assert all(action.help for action in commands.actions(parser)), name


def test_every_metric_is_described() -> None:
    for metric in vars(metrics).values():
        if isinstance(metric, metrics.Metric):
            assert f"| `{metric.name}` |" in text("metrics")


def test_every_operation_is_described() -> None:
    page = text("rest-operations")
    for operation in rest_operations.declared_operations():
        assert operation.summary in page, operation.id


def test_every_check_is_described() -> None:
    for id_ in checks.by_id():
        assert f"### {checks.number(id_)}\n" in text("checks"), id_


def test_every_check_says_what_helps() -> None:
    for message in messages.messages():
        assert re.search(r"\w{4}", message.text), message
        assert re.search(r"\w{4}", message.hint), message


def test_no_id_stands_for_two_checks() -> None:
    written = Counter(
        node.value.rpartition(".")[2]
        for module in messages.modules()
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"(doc_priority\.)?[EW]\d{3}", node.value)
    )
    assert [number for number, times in written.items() if times > 1] == []
    assert set(written) == {checks.number(id_) for id_ in checks.by_id()}


def test_an_id_tells_how_bad_it_is() -> None:
    for message in messages.messages():
        assert checks.number(message.id)[0] == message.level.__name__[0], message.id


@pytest.mark.parametrize(("package", "numbers"), IDS.items(), ids=IDS)
def test_an_id_keeps_its_meaning(package: str, numbers: str) -> None:
    made = {checks.number(one.id) for one in messages.messages() if one.module.startswith(package)}
    assert ids_of(numbers) <= made


def test_a_new_id_is_kept_from_now_on() -> None:
    known = set().union(*map(ids_of, IDS.values()))
    assert {checks.number(id_) for id_ in checks.by_id()} == known, "add the new ones to IDS"
