"""What the system checks say about a portal's Celery and its tasks, a case for each id."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import celery._state
import kombu.transport.redis
import pytest
from django.core.checks import run_checks
from django.test import modify_settings, override_settings
from kombu import Connection, Queue

from doc_priority.contrib.celery import prioritize, registry
from doc_priority.contrib.celery.broker_checks import check_broker
from doc_priority.contrib.celery_module import check_celery_module
from tests.contrib.celery.conftest import MakeApp, MakePortal, Told, closing, process_document
from tests.contrib.workers import celery_worker, eventually
from tests.servers import RABBITMQ_URL, REDIS_URL

REDIS = "redis://127.0.0.1:6379/15"
RABBITMQ = "amqp://guest:guest@127.0.0.1:5672//"
TEN = list(range(10))


Package = Callable[..., str]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    """Makes a package with a module in it, and names it: `package(tasks="…")`."""
    monkeypatch.syspath_prepend(tmp_path)
    modules, shared = set(sys.modules), set(celery._state._on_app_finalizers)

    def make(inner: str = "", **modules: str) -> str:
        name = f"portal_{uuid4().hex}"
        folder = tmp_path / name / inner
        folder.mkdir(parents=True)
        for one in {folder, tmp_path / name}:
            (one / "__init__.py").touch()
        for module, text in modules.items():
            (tmp_path / name / f"{module}.py").write_text(text.replace("PACKAGE", name))
        return name

    yield make
    for module in set(sys.modules) - modules:
        if module.startswith("portal_"):
            del sys.modules[module]
    # Celery would keep shared tasks for every app that is made later.
    celery._state._on_app_finalizers.intersection_update(shared)


def test_settings_and_what_is_said_of_them(told_of: Told) -> None:
    quorum = {"queue_arguments": {"x-queue-type": "quorum"}}
    declared = [Queue("docs", **quorum), Queue("mail")]
    ten = {"task_queue_max_priority": 10}
    with_three = Queue("celery", queue_arguments={"x-max-priority": 3})
    beat = {"task": "portal.process", "schedule": 60}
    late = {"late": {**beat, "options": {"countdown": 5}}}
    eta = {"late": {**beat, "options": {"eta": 5}}}
    routed = {"task_routes": {"portal.process": {"priority": 4}}}
    parted = {"broker_transport_options": {"sep": ":"}, "task_default_queue": "documents:urgent"}
    eleven = {"broker_transport_options": {"priority_steps": list(range(11))}}
    cases: list[tuple[str, dict[str, Any], str, str]] = [
        # Transports
        ("sqs://", {}, "E020", "transport 'sqs'"),
        ("sqs://", {}, "E020", "Use Redis"),
        ("", {"broker_url": [REDIS, "sqs://"]}, "E020", "transport 'sqs'"),
        ("", {"broker_url": f"{REDIS};sqs://"}, "E020", "transport 'sqs'"),
        ("", {"broker_url": [REDIS, RABBITMQ]}, "E020", "'redis' and of 'amqp', whose"),
        ("", {"broker_url": f"{REDIS};{RABBITMQ}"}, "E020", "have opposite directions"),
        ("", {"broker_write_url": REDIS, "broker_read_url": RABBITMQ}, "E020", "at every address"),
        ("", {"broker_write_url": REDIS, "broker_url": RABBITMQ}, "E020", "'redis' and of 'amqp'"),
        # Lists on Redis
        *(
            (REDIS, {"broker_transport_options": {"priority_steps": steps}}, "E021", repr(steps))
            for steps in ([0, 3, 6, 9], [], None, TEN[::-1])
        ),
        (REDIS, eleven, "E021", "others than 0 to 9 in this order"),
        (REDIS, parted, "E022", "sep ':', which the name of the queue 'documents:urgent' has in"),
        # Queues on RabbitMQ
        (RABBITMQ, {"task_queue_max_priority": 5}, "E023", "'celery' has the maximum priority 5"),
        (RABBITMQ, {"task_queues": [with_three]}, "E023", "'celery' has the maximum priority 3"),
        (RABBITMQ, {**ten, "task_default_queue_type": "quorum"}, "E024", "(celery)"),
        (RABBITMQ, {**ten, "task_create_missing_queue_type": "quorum"}, "E024", "(task_create_"),
        (RABBITMQ, {**ten, "task_queues": declared}, "E024", "(docs)"),
        (RABBITMQ, {**ten, "task_queues": {"docs": quorum}}, "E024", "(docs)"),
        # Prefetch
        (REDIS, {"worker_prefetch_multiplier": 4}, "W020", "worker_prefetch_multiplier is 4"),
        (REDIS, {"worker_prefetch_multiplier": 4}, "W020", "a worker takes 4 documents"),
        (REDIS, {"worker_prefetch_multiplier": 0}, "W020", "all documents there are"),
        (REDIS, {"task_acks_late": False}, "W021", "portal.process has acks_late False"),
        # Priorities that somebody else gives
        (REDIS, {"task_default_priority": 3}, "W022", "sets the default priority 3"),
        (REDIS, routed, "W022", "task_routes sets the priority 4 for portal.process"),
        (REDIS, {"task_inherit_parent_priority": True}, "W025", "parent_priority is on"),
        # Times
        (REDIS, {"beat_schedule": late}, "W023", "['late'] sends portal.process with countdown"),
        (REDIS, {"beat_schedule": eta}, "W023", "['late'] sends portal.process with eta"),
    ]
    for url, conf, number, said in cases:
        found = told_of(url, **conf)
        assert list(found) == [number], (url, conf)
        assert said in found[number]
    elsewhere = {"task": "portal.other", "schedule": 60, "options": {"countdown": 5}}
    early = {"task_acks_late": False, "worker_prefetch_multiplier": 4}
    for url, conf in [
        (REDIS, {}),
        (RABBITMQ, {}),
        ("", {"broker_url": [REDIS, "rediss://other/0"]}),
        ("", {"broker_url": "sentinel://a;sentinel://b"}),
        ("", {"broker_url": []}),
        (REDIS, {"beat_schedule": {"other": elsewhere, "at once": {"task": "portal.process"}}}),
        # Without prefetch neither matters.
        (REDIS, {**early, "worker_disable_prefetch": True}),
    ]:
        assert told_of(url, **conf) == {}, (url, conf)


@pytest.mark.parametrize("url", [REDIS, RABBITMQ])
def test_e019_and_looking_declares_no_queue(make_app: MakeApp, told: Told, url: str) -> None:
    """A worker of Celery 5.6 without -Q reads every queue that the app has come to know."""
    app = make_app(url, task_routes={"portal.process": "documents", "portal.mail": "mail"})
    app.task(name="portal.mail", shared=False)(process_document)
    assert told() == {}
    assert list(app.amqp.queues) == ["celery"]
    # E019, a queue that is not declared
    registry.forget(app)
    app = make_app(
        url,
        task_create_missing_queues=False,
        task_routes={"portal.process": {"queue": "documents"}, "mail": {"queue": "mail"}},
        task_queues=[Queue("celery", max_priority=10)],
    )
    app.task(name="mail", shared=False)(process_document)
    said = "portal.process is routed to a queue that task_queues does not have"
    assert said in told()["E019"]
    prioritize(app, "portal.other", customer="customer")
    assert list(told()) == ["E019"]


def test_manage_py_check_runs_them(make_app: MakeApp, told: Told) -> None:
    make_app("sqs://")
    assert [one.id for one in run_checks(tags=["doc_priority"])] == ["doc_priority.E020"]
    assert told(check_broker) == {}
    with override_settings(INSTALLED_APPS=[]):
        assert "not in INSTALLED_APPS" in told()["E050"]


@pytest.mark.parametrize("late", [None, False])
def test_w020_w021_in_djangos_settings(make_app: MakeApp, told: Told, late: bool | None) -> None:
    for multiplier in (0, 1, 2):
        given = SimpleNamespace(
            CELERY_BROKER_URL=REDIS, CELERY_WORKER_PREFETCH_MULTIPLIER=multiplier
        )
        if late is not None:
            given.CELERY_TASK_ACKS_LATE = late
        with closing(make_app()) as app:
            app.config_from_object(given, namespace="CELERY")
            found = told()
        expected = {"W020": multiplier != 1, "W021": late is False}
        assert list(found) == [number for number, said in expected.items() if said]


def test_what_is_set_elsewhere(make_app: MakeApp, told: Told) -> None:
    """After `prioritize`, before it, and by the task."""
    with closing(make_app(REDIS)) as app:
        assert app.conf.broker_transport_options
        app.conf.broker_transport_options = {"visibility_timeout": 60}
        found = told()
        assert list(found) == ["E021"]
        assert "broker_transport_options has no priority_steps" in found["E021"]
        assert "were set after prioritize()" in found["E021"]
    with closing(make_app(REDIS, prioritized=False)) as app:
        app.task(name="portal.process", shared=False)(process_document)
        app.finalize()
        prioritize(app, "portal.process", customer="customer")
        found = told()
        assert list(found) == ["W021"]
        assert "portal.process has acks_late False" in found["W021"]
        assert "before the task is used for the first time" in found["W021"]
    make_app(REDIS).tasks["portal.process"].priority = 4
    assert "portal.process sets the default priority 4" in told()["W022"]


def test_e025_alone_tells_of_a_missing_package(
    make_app: MakeApp, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check that asks the broker has nothing to add."""
    make_app(REDIS)
    monkeypatch.delitem(sys.modules, "kombu.transport.redis", raising=False)
    monkeypatch.setitem(sys.modules, "packaging.version", None)
    assert told(check_broker) == {}
    assert list(told()) == ["E025"]


def test_e025_w018_redis_cannot_be_used(told_of: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    transport = "kombu.transport.redis"
    for missing, said in [
        ([transport], transport),
        (["packaging.version"], "packaging.version"),
        # Packaging comes with redis and is imported first.
        (["redis", "packaging.version"], "the package redis is not installed"),
    ]:
        with monkeypatch.context() as patch:
            patch.delitem(sys.modules, transport, raising=False)
            for name in missing:
                patch.setitem(sys.modules, name, None)
            found = told_of(REDIS)
        assert list(found) == ["E025"]
        assert said in found["E025"]
        assert "celery[redis]" in found["E025"]
    monkeypatch.setattr(kombu.transport.redis, "redis", None)
    assert "the package redis cannot be imported" in told_of(REDIS)["E025"]
    monkeypatch.undo()
    monkeypatch.setattr(metadata, "version", lambda name: "4.0.0")
    found = told_of(REDIS)
    assert list(found) == ["W018"]
    assert "redis 4.0.0 is installed, and kombu" in found["W018"]
    assert "celery[redis]" in found["W018"]
    monkeypatch.setattr(metadata, "requires", lambda name: None)
    assert told_of(REDIS) == {}


def test_w024_a_queue_that_other_tasks_share(make_app: MakeApp, told: Told) -> None:
    with closing(make_app(REDIS)) as app:
        app.task(name="portal.mail", shared=False)(process_document)
        assert "'celery' also gets portal.mail." in told()["W024"]
        app.tasks["portal.mail"].queue = "mail"
        assert told() == {}
        for number in range(20):
            app.task(name=f"portal.send_{number:02}", shared=False)(process_document)
        assert "portal.send_04 and 15 more. Without a priority" in told()["W024"]
    # With a queue of their own; a separator in the name of another queue does no harm to it.
    for conf in (
        {"task_routes": {"portal.process": {"queue": "documents"}}},
        {
            "broker_transport_options": {"sep": ":"},
            "task_routes": {"portal.process": "documents", "portal.mail": "mail:all"},
        },
    ):
        with closing(make_app(REDIS, **conf)) as app:
            app.task(name="portal.mail", shared=False)(process_document)
            assert told() == {}


def test_e027_another_app_at_the_same_broker(make_app: MakeApp, told: Told) -> None:
    two_steps = {"broker_transport_options": {"priority_steps": [0, 9]}}
    ten_steps = "priority_steps [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
    for url, ours, clashing, said in [
        (REDIS, {}, 5, f"{ten_steps} and the app {{}} has [0, 3, 6, 9]"),
        (RABBITMQ, two_steps, None, "priority of 'celery' 10 and the app {} has None"),
    ]:
        with closing(make_app(url, **ours)):
            with closing(make_app(RABBITMQ, prioritized=False, task_queue_max_priority=10)):
                assert told() == {}
            clashes = {"prioritized": False, "task_queue_max_priority": clashing}
            with closing(make_app(url, **clashes)) as other:
                assert said.format(other.main) in told()["E027"]
    # With a task in the queue
    for url in (REDIS, RABBITMQ):
        with (
            closing(make_app(url, task_default_queue="documents")),
            closing(make_app(url, prioritized=False, task_default_queue="mail")) as mailer,
        ):
            mailer.task(name="portal.process", shared=False)(process_document)
            mailer.finalize()
            assert told() == {}
            mailer.tasks["portal.process"].queue = "documents"
            assert f"the app {mailer.main} has" in told()["E027"]


def test_e027_djangos_settings(told_of: Told) -> None:
    options, highest = "CELERY_BROKER_TRANSPORT_OPTIONS", "CELERY_TASK_QUEUE_MAX_PRIORITY"
    for url, name, value, said in [
        (REDIS, options, {"priority_steps": [0, 9]}, "has [0, 9]"),
        (REDIS, options, {"priority_steps": TEN}, ""),
        (REDIS, options, {"priority_steps": tuple(TEN)}, ""),
        (REDIS, options, {"sep": ":"}, "has ':'"),
        (REDIS, highest, 4, ""),
        (RABBITMQ, highest, 4, "has 4"),
        (RABBITMQ, highest, 10, ""),
        (RABBITMQ, options, {"sep": ":"}, ""),
    ]:
        with override_settings(**{name: value}):
            found = told_of(url)
        assert list(found) == (["E027"] if said else []), (url, name, value)
        assert not said or f"Django's CELERY_ settings {said}" in found["E027"]


def test_e018_a_task_that_has_another_name(make_app: MakeApp, told: Told, package: Package) -> None:
    app = make_app(REDIS)
    for name in ("elsewhere.task", "elsewhere.tasks.task", "unnamed"):
        prioritize(app, name, customer="customer")
    assert told() == {}  # they are not known here
    name = package(tasks="")
    prioritize(app, f"{name}.tasks.unlike", customer="customer")
    assert "which the app does not have. Calls" in told()["E018"]
    assert f"{name}.tasks" in sys.modules
    app.task(name=f"{name}.tasks.unlikely", shared=False)(process_document)
    found = told()
    assert list(found) == ["E018"]  # and no word of W024
    assert f"the task '{name}.tasks.unlike'" in found["E018"]
    assert f"the nearest it has is '{name}.tasks.unlikely'" in found["E018"]
    assert "name=" in found["E018"]
    app.task(name="mail", shared=False)(process_document)
    found = told()
    assert list(found) == ["E018", "W024"]
    assert "also gets mail." in found["W024"]
    registry.forget(app)
    with closing(make_app(REDIS)) as app:
        app.task(name="billing.process", shared=False)(process_document)
        app.tasks["billing.process"].queue = "billing"
        prioritize(app, "billings.process", customer="customer")
        assert "the nearest it has is 'billing.process'" in told()["E018"]
    # Nor has a Django app without tasks one.
    name = package()
    prioritize(make_app(REDIS), f"{name}.process", customer="customer")
    with modify_settings(INSTALLED_APPS={"append": name}):
        assert list(told()) == ["E018"]


SHARED = (
    "from celery import shared_task\n@shared_task(name='PACKAGE.{}')\ndef process(customer): pass\n"
)


@pytest.mark.parametrize("way", ["imports", "include", "INSTALLED_APPS"])
def test_a_task_of_another_module(
    make_app: MakeApp, told: Told, package: Package, way: str
) -> None:
    name = package(tasks=SHARED.format("process"))
    app = make_app(REDIS)
    prioritize(app, f"{name}.process", customer="customer")
    if way == "INSTALLED_APPS":
        with modify_settings(INSTALLED_APPS={"append": name}):
            assert told() == {}
    else:
        app.conf[way] = [f"{name}.tasks"]
        assert told() == {}


@pytest.mark.parametrize("which", ["current", "default"])
def test_w017_a_shared_task_whose_calls_go_to_another_app(
    make_app: MakeApp, told: Told, package: Package, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    name = f"{package(tasks=SHARED.format('tasks.process'))}.tasks.process"
    app = make_app(REDIS)
    other = make_app(RABBITMQ, prioritized=False, task_default_queue="others")
    prioritize(app, name, customer="customer")
    monkeypatch.setattr(celery._state._tls, "current_app", app)
    monkeypatch.setattr(celery._state, "default_app", app)
    assert told() == {}
    if which == "current":
        other.set_current()
    else:
        other.set_default()
    found = told()
    assert list(found) == ["W017"]
    assert f"{name} is a shared task, and calls of it go to the app app1" in found["W017"]
    assert "set_as_current=False" in found["W017"]
    prioritize(other, name, customer="customer")
    assert told() == {}


def test_arguments_that_calls_do_not_have(make_app: MakeApp, told: Told) -> None:
    @dataclass
    class Upload:
        owner: str

    def of_customer(customer: str) -> None: ...

    def of_upload(customer: Upload) -> None: ...

    def of_anything(**kwargs: Any) -> None: ...

    anything = {"customer": "customer", "document": "invoice"}
    misspelt = {"customer": "customr.key", "document": lambda call: call["customer"]}
    doubted = "portal.other has customer='customer', and no call has one there: customer: "
    for function, terms, number, said in [
        (of_customer, anything, "E026", "'invoice', which portal.other does not have: (customer:"),
        (of_customer, misspelt, "E026", "'customr', which portal.other does not have"),
        (of_upload, {"customer": "customer"}, "W029", doubted),
        (of_upload, {"customer": "customer"}, "W029", "Upload is no text, number or UUID"),
        (of_upload, {"customer": "customer"}, "W029", "'overrides.owner_id'"),
        (of_upload, {"customer": "customer.owner"}, "", ""),
        (of_upload, {"customer": lambda call: call["customer"].owner}, "", ""),
        (of_anything, anything, "", ""),
    ]:
        with closing(make_app(REDIS)) as app:
            prioritize(app, "portal.other", **terms)
            app.task(name="portal.other", shared=False)(function)
            found = told()
        assert list(found) == ([number] if number else []), (function, terms)
        assert said in found.get(number, "")


@pytest.mark.parametrize("urls", ["urls", "config.urls", "config.urls.main"])
def test_w028_nobody_imports_it(package: Package, monkeypatch: Any, told: Told, urls: str) -> None:
    module = "from doc_priority.contrib.celery import prioritize\n"
    name = package("config", celery=module)
    with override_settings(ROOT_URLCONF=f"{name}.{urls}"):
        found = told(check_celery_module)
        assert [one.id for one in run_checks(tags=["doc_priority"])] == ["doc_priority.W028"]
        assert found["W028"].startswith(f"{name}.celery names doc_priority.contrib.celery")
        assert f"the __init__.py of {name}." in found["W028"]
        monkeypatch.setitem(sys.modules, f"{name}.celery", sys)
        assert told(check_celery_module) == {}
    # Projects without the adapter, and where Celery is not installed
    other = package(celery="app = None\n", other=module)
    for root in (None, f"{other}.urls", "portal.urls"):
        with override_settings(ROOT_URLCONF=root):
            assert told(check_celery_module) == {}
    monkeypatch.delitem(sys.modules, f"{name}.celery")
    monkeypatch.setitem(sys.modules, "celery", None)
    with override_settings(ROOT_URLCONF=f"{name}.{urls}"):
        assert told(check_celery_module) == {}


@pytest.mark.rabbitmq
@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 500})
def test_e028_a_queue_that_exists_otherwise(make_app: MakeApp, told: Told) -> None:
    queue = f"doc_priority_test_{uuid4().hex}"
    make_app(RABBITMQ_URL, task_default_queue=queue)
    with Connection(RABBITMQ_URL) as connection, connection.channel() as channel:
        assert told(check_broker) == {}  # and makes no queue
        levels = {"x-max-priority": 10}
        for arguments, number in ((None, "E028"), (levels, None)):
            channel.queue_declare(queue, durable=True, auto_delete=False, arguments=arguments)
            try:
                found = told(check_broker)
            finally:
                channel.queue_delete(queue)
            assert list(found) == ([number] if number else [])
            said = f"{queue!r} exists with other arguments than {levels}"
            assert not number or said in found["E028"]


@pytest.mark.rabbitmq
@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 500})
def test_e029_quorum_queues_of_old_servers(make_app: MakeApp, told: Told, monkeypatch: Any) -> None:
    """The server here is of one version, so the others are told in its place."""
    make_app(RABBITMQ_URL, task_default_queue_type="quorum", task_default_queue=uuid4().hex)
    for version, said in [
        ("3.10.8", "3.10 has no priorities"),
        ("4.0.5", "4.0 merges the nine levels into two"),
        ("4.2.0", "4.2 merges"),
        ("4.3.0", ""),
    ]:
        properties = property(
            lambda self, version=version: {"version": version}, lambda self, given: None
        )
        monkeypatch.setattr("amqp.Connection.server_properties", properties, raising=False)
        found = told(check_broker)
        assert list(found) == (["E029"] if said else [])
        assert said in found.get("E029", "")


@pytest.mark.redis
@pytest.mark.django_db(transaction=True)
@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 5000})
def test_e027_and_w027_live_workers(make_portal: MakePortal, make_app: MakeApp, told: Told) -> None:
    """Each has a queue and lists of its own, and they begin side by side."""
    in_django, ten = {"namespace": "CELERY"}, {"visibility_timeout": 60, "priority_steps": TEN}
    of_three = {"worker_prefetch_multiplier": 3}
    without = {**in_django, **of_three, "worker_disable_prefetch": True}
    cases: list[tuple[dict[str, Any], dict[str, Any], str, str]] = [
        # The ten steps, which prioritize() puts in or the portal wrote down
        (in_django, {}, "", ""),
        (without, ten, "", ""),
        ({"worker_prefetch_multiplier": 0}, {}, "", "all tasks there are"),
        # Others, and Celery's four, which nobody wrote down
        (of_three, {"priority_steps": [0, 1, 9]}, "[0, 1, 9]", "3 tasks for its 1 p"),
        ({**in_django, "prioritized": False}, {}, "[0, 3, 6, 9]", "4 tasks for its 1 p"),
    ]
    with ExitStack() as stack:
        portals = []
        for conf, steps, *_ in cases:
            app, terms = make_portal(
                "redis", worker_enable_remote_control=True, broker_transport_options=steps, **conf
            )
            app.tasks["portal.process"].apply_async(("acme", "D"), priority=0)
            registry.forget(app)
            stack.enter_context(celery_worker(terms))
            portals.append(terms)
        for terms, (conf, steps, others, fetched) in zip(portals, cases, strict=True):
            options = {"global_keyprefix": f"{terms.queue}:"}
            ours = {"task_default_queue": terms.queue, "broker_transport_options": options}
            eventually(lambda terms=terms: terms.begun(1))
            with closing(make_app(REDIS_URL, **ours)):
                found = told(check_broker)
            expected = {}
            if others:
                expected["E027"] = f"has {others} at the same broker"
            if fetched:
                expected["W027"] = f"fetches {fetched}"
            assert list(found) == list(expected), (conf, steps)
            for number, said in expected.items():
                assert "the worker celery@" in found[number]
                assert said in found[number]


@pytest.mark.redis
@pytest.mark.django_db(transaction=True)
def test_w019_no_live_worker_reads_the_documents_queue(make_portal: MakePortal, told: Told) -> None:
    app, terms = make_portal(
        "redis", worker_enable_remote_control=True, task_routes={"portal.process": "documents"}
    )
    assert told(check_broker) == {}  # workers may be started later
    with celery_worker(terms):
        app.tasks["portal.uncounted"].apply_async(("acme",), priority=1)
        eventually(lambda: terms.begun(1))
        found = told(check_broker)
    assert list(found) == ["W019"]
    assert "no worker that answers reads the queue 'documents'" in found["W019"]
    assert "-Q documents" in found["W019"]
