"""Under which configuration would Celery ignore, merge or lose priorities unnoticed?

`prioritize` registers this system check. It imports the prioritised tasks and reads the
configuration; `broker_checks` asks the broker.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module, metadata
from importlib.util import find_spec
from inspect import signature
from typing import Any

from celery import current_app
from celery._state import _get_active_apps  # private; nothing else tells the apps of a process
from celery.app import default_app
from celery.local import Proxy
from django.apps import apps
from django.conf import settings as django_settings
from django.core.checks import CheckMessage

from doc_priority.check_messages import ALWAYS, SystemCheck
from doc_priority.contrib.calls import WHERE_HINT, argument_of
from doc_priority.contrib.celery import broker
from doc_priority.contrib.celery.configuration import STEPS
from doc_priority.contrib.celery.queues import (
    MAX_PRIORITY,
    maximum_of,
    queues_of,
    route_of,
    type_of,
)
from doc_priority.contrib.celery.registry import Tasks, all_apps, module_of
from doc_priority.contrib.levels import Engine
from doc_priority.exceptions import TransportWithoutPriorities
from doc_priority.validation import joined, shortened

ASKS_THE_BROKER = "With `manage.py check --deploy`, which asks the broker."

_NO_SUCH_TASK = "{app}: prioritize() names the task {task!r}, which the app does not have"
_WHAT_IS_LOST = ". Calls of the task that was meant are neither counted nor prioritised."
_NAME_IT = (
    "Name the task as it is registered, which its attribute name shows; name= in the decorator "
    "changes it."
)
E018 = SystemCheck("E018", _NO_SUCH_TASK + _WHAT_IS_LOST, _NAME_IT)
E018_NEAREST = SystemCheck(
    "E018", _NO_SUCH_TASK + "; the nearest it has is {nearest!r}" + _WHAT_IS_LOST, _NAME_IT
)
E019 = SystemCheck(
    "E019",
    "{app}: {task} is routed to a queue that task_queues does not have, and "
    "task_create_missing_queues is off: no document can be sent.",
    "Declare the queue in task_queues, or leave task_create_missing_queues on.",
)
E020 = SystemCheck("E020", "{app}: {problem}", broker.REMEDY)
_LEVELS_ARE_MERGED = (
    ". With others than 0 to 9 in this order, levels are merged, turned round or looked for in "
    "lists that nobody else uses."
)
E021 = SystemCheck(
    "E021",
    "{app}: broker_transport_options has priority_steps {steps}" + _LEVELS_ARE_MERGED,
    "Leave priority_steps out, or set list(range(10)) on publishers and workers.",
)
E021_LEFT_OUT = SystemCheck(
    "E021",
    "{app}: broker_transport_options has no priority_steps" + _LEVELS_ARE_MERGED,
    "prioritize() puts them in, so these options were set after prioritize(): set them before, or "
    "with 'priority_steps': list(range(10)).",
)
E022 = SystemCheck(
    "E022",
    "{app}: broker_transport_options has sep {sep}, which the name of the queue {queue!r} has in "
    "it: no worker ever reads it.",
    "Leave sep out, on publishers and workers, or give documents a queue without it in its name.",
)
E023 = SystemCheck(
    "E023",
    "{app}: the queue {queue!r} has the maximum priority {highest!r}; RabbitMQ needs "
    f"{MAX_PRIORITY} to keep nine levels apart.",
    "Leave task_queue_max_priority out, and max_priority where you declare the queue yourself, or "
    f"set {MAX_PRIORITY}. A queue that exists already keeps its maximum: give the new one another "
    "name.",
)
E024 = SystemCheck(
    "E024",
    "{app}: task_queue_max_priority is {highest!r}, and RabbitMQ refuses a maximum priority for "
    "quorum queues ({queues}).",
    "Leave task_queue_max_priority out, and give it to classic queues one by one: "
    f"Queue(…, max_priority={MAX_PRIORITY}).",
)
_INSTALL_REDIS = (
    "pip install 'celery[redis]', which brings a redis that Celery takes and what else it needs; "
    "celery and redis named apart do not."
)
E025 = SystemCheck("E025", "{app}: Celery cannot use Redis here: {problem}", _INSTALL_REDIS)
E026 = SystemCheck(
    "E026",
    "{app}: prioritize() names the argument {argument!r}, which {task} does not have: {signature}.",
    "Name the arguments as the task's function has them.",
)
E027 = SystemCheck(
    "E027",
    "{app} has {term} {ours} and {whose} has {theirs} at the same broker: what one of them sends "
    "the other may never read.",
    "Give both the same, best by prioritize() in a module that both import.",
    f"{ALWAYS} {ASKS_THE_BROKER}",
)
E050 = SystemCheck(
    "E050",
    "{app} has prioritised tasks, and 'doc_priority' is not in INSTALLED_APPS: every call of them "
    "fails.",
    "Put 'doc_priority' into INSTALLED_APPS and run manage.py migrate.",
)
W017 = SystemCheck(
    "W017",
    "{app}: {task} is a shared task, and calls of it go to the app {other}, where they are neither "
    "counted nor prioritised.",
    "Make {app} before all other apps, and those with Celery(…, set_as_current=False).",
)
W018 = SystemCheck(
    "W018",
    "{app}: redis {version} is installed, and kombu is made for redis {wanted}. It can be "
    "imported; that all of it works is not known.",
    _INSTALL_REDIS,
)
W020 = SystemCheck(
    "W020",
    "{app}: worker_prefetch_multiplier is {multiplier!r}: a worker takes {taken} for each of its "
    "processes, and those are done before an urgent one that comes later.",
    "Leave worker_prefetch_multiplier out or set 1, and keep task_acks_late.",
)
W021 = SystemCheck(
    "W021",
    "{app}: {task} has acks_late {late!r}: each worker process holds one more document than it "
    "works on, and an urgent one waits for that.",
    "Leave task_acks_late and the task's acks_late out or set True; call prioritize() before the "
    "task is used for the first time.",
)
_LEAVE_UNSET = "Leave it unset; give other tasks a queue of their own."
W022_DEFAULT = SystemCheck(
    "W022",
    "{app}: {owner} sets the default priority {priority!r}. Prioritised tasks do not heed it, and "
    "a call that asks for this very number is not told from one that asks for none.",
    _LEAVE_UNSET,
)
W022_ROUTE = SystemCheck(
    "W022",
    "{app}: task_routes sets the priority {priority!r} for {task}. Prioritised tasks do not heed "
    "it.",
    _LEAVE_UNSET,
)
W023 = SystemCheck(
    "W023",
    "{app}: beat_schedule[{entry!r}] sends {task} with {option}: the worker fetches it at once, "
    "holds it until then and runs it without regard to its priority.",
    "Put the time into the schedule itself.",
)
W024 = SystemCheck(
    "W024",
    "{app}: the queue {queue!r} also gets {others}. Without a priority they come before all "
    "documents on Redis and after all on RabbitMQ.",
    "Give documents a queue of their own: task_routes = {{{task!r}: {{'queue': 'documents'}}}}, "
    "and a worker with -Q documents.",
)
W025 = SystemCheck(
    "W025",
    "{app}: task_inherit_parent_priority is on: a prioritised task in a chain, or linked to "
    "another, takes the other's priority and is not counted.",
    "Leave task_inherit_parent_priority off.",
)
W029 = SystemCheck(
    "W029",
    "{app}: prioritize() of {task} has {key}={where!r}, and no call has one there: {doubt}.",
    WHERE_HINT,
)

ALIKE = 0.5
"""How like a wrong name another task's must be to be shown with it."""
MISSPELT = 0.9
"""How like it must be to be taken for the one that was meant, where no module shows it."""
SEP = "\x06\x16"
"""What kombu puts between the name of a queue on Redis and the priority of one of its lists."""
USUAL_STEPS = [0, 3, 6, 9]
"""The priorities that have a list on Redis unless the portal says otherwise."""


def check_configuration(**kwargs: Any) -> list[CheckMessage]:
    """What the configuration of every app with prioritised tasks says."""
    return [message for app, tasks in all_apps() for message in _check_app(app, tasks)]


def _check_app(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    if not apps.is_installed("doc_priority"):
        yield E050(app=app.main)
        return
    _import_modules_of(app, tasks)
    try:
        engine = broker.engine_of(app)
    except TransportWithoutPriorities as error:
        yield E020(app=app.main, problem=str(error).removesuffix(broker.REMEDY).rstrip())
        return
    yield from _check_names(app, tasks)
    yield from _check_arguments(app, tasks)
    yield from _check_prefetch(app, tasks)
    yield from _check_other_priorities(app, tasks)
    yield from _check_queues(app, tasks)
    if engine is Engine.CELERY_REDIS:
        yield from _check_redis_package(app)
        yield from _check_lists(app, tasks)
    else:
        yield from _check_maxima(app, tasks)


def _import_modules_of(app: Any, tasks: Tasks) -> None:
    """Import the modules in the tasks' names, and others for a name that is not there then.

    Celery's own way, `import_default_modules`, makes Django run all its checks, and so never ends.
    """
    for name in filter(module_of, tasks):
        import_module(module_of(name))
        if name not in app.tasks:
            # What the app includes, and the `tasks` of Django's apps in the package of the name.
            package = name.partition(".")[0]
            configs = [one.name for one in apps.get_app_configs()]
            within = [f"{one}.tasks.*" for one in configs if one.split(".")[0] == package]
            of_apps = filter(None, map(module_of, within))
            for other in (*app.conf.include, *app.conf.imports, *of_apps):
                import_module(other)


def own_tasks(app: Any) -> list[str]:
    """What the portal and its packages registered."""
    return [name for name in app.tasks if not name.startswith("celery.")]


def _misnamed(app: Any, tasks: Tasks) -> dict[str, str]:
    """Each name that is wrong, and the nearest one that the app has, empty where none is near.

    A publisher may call a task by name without having its code. So a name is wrong only where the
    module in it can be imported here, or where the app has another task with almost that name.
    """
    known = [name for name in own_tasks(app) if name not in tasks]
    return {
        name: next(iter(get_close_matches(name, known, n=1, cutoff=ALIKE)), "")
        for name in tasks
        if name not in app.tasks
        and (module_of(name) or get_close_matches(name, known, cutoff=MISSPELT))
    }


def _check_names(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """Calls of the tasks come to the app that prioritises them.

    Where a process has several apps, Celery gives the calls of a `shared_task` to the one that was
    made last, and in other threads than that app's to the one that is the default, usually the
    first. Only shared tasks that are found by their name are looked at.
    """
    for name, nearest in _misnamed(app, tasks).items():
        check = E018_NEAREST if nearest else E018
        yield check(app=app.main, task=name, nearest=nearest)
    known = dict(all_apps())
    found = {current_app._get_current_object(), default_app._get_current_object()} - {app, None}
    for name in tasks:
        module, _, function = name.rpartition(".")
        if type(getattr(sys.modules.get(module), function, None)) is not Proxy:
            continue  # a task of an app's own goes to that app
        for other in sorted(found, key=lambda one: str(one.main)):
            if name not in known.get(other, {}):
                yield W017(app=app.main, task=name, other=other.main)


def _check_arguments(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """Of tasks that are registered here; a publisher may know others by name only."""
    for name in filter(app.tasks.__contains__, tasks):
        function = app.tasks[name].run
        for misfit in tasks[name].misfits(function):
            said = {"app": app.main, "task": name, "key": misfit.key, "where": misfit.where}
            if misfit.problem:
                argument = argument_of(misfit.where)
                yield E026(**said, argument=argument, signature=signature(function))
            else:
                yield W029(**said, doubt=misfit.doubt)


def _check_prefetch(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """A worker holds no documents back that it does not work on yet, and beat sends none early."""
    for name, entry in (app.conf.beat_schedule or {}).items():
        given = entry.get("options") or {}
        late = [option for option in ("countdown", "eta") if given.get(option)]
        if late and entry.get("task") in tasks:
            yield W023(app=app.main, entry=name, task=entry["task"], option=late[0])
    if app.conf.worker_disable_prefetch:
        return
    multiplier = app.conf.worker_prefetch_multiplier
    if multiplier != 1:
        taken = f"{multiplier} documents" if multiplier else "all documents there are"
        yield W020(app=app.main, multiplier=multiplier, taken=taken)
    for name in filter(app.tasks.__contains__, tasks):
        if not app.tasks[name].acks_late:
            yield W021(app=app.main, task=name, late=app.tasks[name].acks_late)


def _check_other_priorities(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """Nothing else than the customer's counter says a priority."""
    default = app.conf.task_default_priority
    if default is not None:
        yield W022_DEFAULT(app=app.main, owner="task_default_priority", priority=default)
    for name in tasks:
        own = getattr(app.tasks.get(name), "priority", None)
        if default is None and own is not None:
            yield W022_DEFAULT(app=app.main, owner=name, priority=own)
        routed = (route_of(app, name) or {}).get("priority")
        if routed is not None:
            yield W022_ROUTE(app=app.main, task=name, priority=routed)
    if app.conf.task_inherit_parent_priority:
        yield W025(app=app.main)


def _check_queues(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """Documents go into queues of their own, and these are there."""
    wrong = _misnamed(app, tasks)
    others = [one for one in own_tasks(app) if one not in {*tasks, *wrong.values()}]
    ours = [name for name in tasks if name not in wrong]
    for queue in queues_of(app, ours):
        sharing = [one for one in others if queue.name in {q.name for q in queues_of(app, [one])}]
        if sharing:
            names = joined(sorted(sharing))
            yield W024(app=app.main, queue=queue.name, others=names, task=ours[0])
    for name in tasks:
        if route_of(app, name) is None:
            yield E019(app=app.main, task=name)


def _check_redis_package(app: Any) -> Iterator[CheckMessage]:
    """The redis package is there, in a version that Celery takes."""
    problem = ""
    if find_spec("redis") is None:
        problem = "the package redis is not installed."
    else:
        try:
            if not import_module("kombu.transport.redis").redis:
                problem = "the package redis cannot be imported."
        except ImportError as error:
            problem = f"{error}."
    if problem:
        yield E025(app=app.main, problem=problem)
        return
    version = metadata.version("redis")
    requirements = import_module("packaging.requirements")  # comes with celery[redis]
    for wanted in map(requirements.Requirement, metadata.requires("kombu") or ()):
        if wanted.name == "redis" and version not in wanted.specifier:
            yield W018(app=app.main, version=version, wanted=wanted.specifier)


def _check_lists(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """Redis keeps the nine levels in lists of their own, which all who use them call the same."""
    options = app.conf.broker_transport_options
    if "priority_steps" not in options:
        yield E021_LEFT_OUT(app=app.main)
    elif list(options["priority_steps"] or ()) != STEPS:
        yield E021(app=app.main, steps=shortened(options["priority_steps"], 100))
    sep = options.get("sep", SEP)
    for queue in queues_of(app, tasks):
        if sep != SEP and str(sep) in queue.name:
            yield E022(app=app.main, sep=shortened(sep, 100), queue=queue.name)
    ours = lists_of(options)
    # CELERY_… in Django's settings, which another process may read where this app does not.
    in_django = getattr(django_settings, "CELERY_BROKER_TRANSPORT_OPTIONS", None) or {}
    yield from differences(app, ours, "Django's CELERY_ settings", lists_of({**ours, **in_django}))
    for other, _ in _apps_that_share(app, tasks):
        theirs = lists_of(other.conf.broker_transport_options)
        yield from differences(app, ours, f"the app {other.main}", theirs)


def _check_maxima(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """RabbitMQ's queues keep the nine levels apart, and all who use them declare them the same."""
    ours = queues_of(app, tasks)
    classic = [queue for queue in ours if type_of(queue) == "classic"]
    for queue in classic:
        if (maximum_of(queue) or 0) < MAX_PRIORITY:
            yield E023(app=app.main, queue=queue.name, highest=maximum_of(queue))
    quorum = [one.name for one in app.amqp.queues.values() if type_of(one) == "quorum"]
    if app.conf.task_create_missing_queue_type == "quorum":
        quorum.append("task_create_missing_queue_type")
    of_all = app.conf.task_queue_max_priority
    if quorum and of_all is not None:
        yield E024(app=app.main, highest=of_all, queues=joined(quorum))
    # CELERY_… in Django's settings, which another process may read where this app does not.
    in_django = getattr(django_settings, "CELERY_TASK_QUEUE_MAX_PRIORITY", None)
    if in_django is not None:
        theirs = dict.fromkeys(_maxima_of(classic), in_django)
        yield from differences(app, _maxima_of(classic), "Django's CELERY_ settings", theirs)
    for other, shared in _apps_that_share(app, tasks):
        whose = f"the app {other.main}"
        yield from differences(app, _maxima_of(ours), whose, _maxima_of(shared))


def lists_of(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """On Redis: by which names a queue's lists are called."""
    given = options or {}
    steps = list(given.get("priority_steps") or USUAL_STEPS)
    return {"priority_steps": steps, "sep": given.get("sep", SEP)}


def _maxima_of(queues: Iterable[Any]) -> dict[str, Any]:
    """On RabbitMQ: with what the queues are declared."""
    return {f"the maximum priority of {one.name!r}": maximum_of(one) for one in queues}


def differences(
    app: Any, ours: dict[str, Any], whose: str, theirs: dict[str, Any]
) -> Iterator[CheckMessage]:
    """One message for each of our terms that is another one there.

    Documents that a publisher puts into a list or a queue that its worker does not look for never
    run, and nothing fails.
    """
    for term, value in ours.items():
        if term in theirs and theirs[term] != value:
            said = {"ours": shortened(value, 100), "theirs": shortened(theirs[term], 100)}
            yield E027(app=app.main, term=term, whose=whose, **said)


def _apps_that_share(app: Any, tasks: Tasks) -> Iterator[tuple[Any, list[Any]]]:
    """Apps without prioritised tasks at the same broker, and which of our tasks' queues they have.

    Who has nothing to do with these queues may do as it likes.
    """
    names = {queue.name for queue in queues_of(app, tasks)}
    known = [one for one, _ in all_apps()]
    for other in sorted(_get_active_apps(), key=lambda one: str(one.main)):
        if other in known or set(broker.broker_urls(app)).isdisjoint(broker.broker_urls(other)):
            continue
        # Declared or the default one; and into which its tasks go, if it has come to know them.
        of_tasks = queues_of(other, own_tasks(other)) if other.finalized else []
        queues = [*other.amqp.queues.values(), *of_tasks]
        if shared := [queue for queue in queues if queue.name in names]:
            yield other, shared
