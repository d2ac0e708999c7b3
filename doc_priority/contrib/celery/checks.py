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

from doc_priority.contrib.calls import argument_of
from doc_priority.contrib.celery import broker, messages
from doc_priority.contrib.celery.configuration import STEPS
from doc_priority.contrib.celery.queues import maximum_of, queues_of, route_of, type_of
from doc_priority.contrib.celery.registry import Tasks, all_apps, module_of
from doc_priority.contrib.levels import MAX_PRIORITY, Engine
from doc_priority.exceptions import TransportWithoutPriorities
from doc_priority.validation import joined, shortened

Terms = dict[str, Any]
# kombu's defaults: what stands between the name of a queue on Redis and the priority of one of its
# lists, and the priorities that have a list
SEP, USUAL_STEPS = "\x06\x16", [0, 3, 6, 9]


def check_configuration(**kwargs: Any) -> list[CheckMessage]:
    """Check the configuration of every app with prioritised tasks."""
    return [message for app, tasks in all_apps() for message in _check_app(app, tasks)]


def _check_app(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    if not apps.is_installed("doc_priority"):
        yield messages.E050(app=app.main)
        return
    _import_modules_of(app, tasks)
    try:
        engine = broker.engine_of(app)
    except TransportWithoutPriorities as error:
        yield messages.E020(app=app.main, problem=str(error).removesuffix(messages.REMEDY).rstrip())
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
            configs = [one.name.split(".") for one in apps.get_app_configs()]
            within = [".".join(one) for one in configs if one[0] == name.partition(".")[0]]
            of_apps = filter(None, (module_of(f"{one}.tasks.*") for one in within))
            for other in (*app.conf.include, *app.conf.imports, *of_apps):
                import_module(other)


def own_tasks(app: Any) -> list[str]:
    return [name for name in app.tasks if not name.startswith("celery.")]


def _misnamed(app: Any, tasks: Tasks) -> dict[str, str]:
    """Each name that is wrong, and the nearest one that the app has, empty where none is near.

    A publisher may call a task by name without having its code. So a name is wrong only where the
    module in it can be imported here, or where the app has another task with almost that name.
    """
    known = [name for name in own_tasks(app) if name not in tasks]
    return {
        name: next(iter(get_close_matches(name, known, n=1, cutoff=0.5)), "")
        for name in tasks
        if name not in app.tasks and (module_of(name) or get_close_matches(name, known, cutoff=0.9))
    }


def _check_names(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """Calls of the tasks come to the app that prioritises them.

    Where a process has several apps, Celery gives the calls of a `shared_task` to the one that was
    made last, and in other threads than that app's to the one that is the default, usually the
    first. Only shared tasks that are found by their name are looked at.
    """
    for name, nearest in _misnamed(app, tasks).items():
        check = messages.E018_NEAREST if nearest else messages.E018
        yield check(app=app.main, task=name, nearest=nearest)
    known = dict(all_apps())
    # Celery has no public name for what a proxy stands for.
    found = {current_app._get_current_object(), default_app._get_current_object()} - {app, None}
    for name in tasks:
        module, _, function = name.rpartition(".")
        if type(getattr(sys.modules.get(module), function, None)) is not Proxy:
            continue  # a task of an app's own goes to that app
        for other in sorted(found, key=lambda one: str(one.main)):
            if name not in known.get(other, {}):
                yield messages.W017(app=app.main, task=name, other=other.main)


def _check_arguments(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """Check the functions of registered tasks; a publisher may know others by name only."""
    for name in filter(app.tasks.__contains__, tasks):
        function = app.tasks[name].run
        for one in tasks[name].misfits(function):
            said = {"app": app.main, "task": name, "argument": argument_of(one.where)}
            if one.problem:
                yield messages.E026(**said, signature=signature(function))
            else:
                yield messages.W029(**said, key=one.key, where=one.where, doubt=one.doubt)


def _check_prefetch(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """A worker fetches no document before it can work on it, and beat sends none early."""
    for name, entry in (app.conf.beat_schedule or {}).items():
        given = entry.get("options") or {}
        late = [option for option in ("countdown", "eta") if given.get(option)]
        if late and entry.get("task") in tasks:
            yield messages.W023(app=app.main, entry=name, task=entry["task"], option=late[0])
    if app.conf.worker_disable_prefetch:
        return
    multiplier = app.conf.worker_prefetch_multiplier
    if multiplier != 1:
        taken = f"{multiplier} documents" if multiplier else "all documents there are"
        yield messages.W020(app=app.main, multiplier=multiplier, taken=taken)
    for name in filter(app.tasks.__contains__, tasks):
        if not app.tasks[name].acks_late:
            yield messages.W021(app=app.main, task=name, late=app.tasks[name].acks_late)


def _check_other_priorities(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    default = app.conf.task_default_priority
    if default is not None:
        yield messages.W022_DEFAULT(app=app.main, owner="task_default_priority", priority=default)
    for name in tasks:
        own = getattr(app.tasks.get(name), "priority", None)
        if default is None and own is not None:
            yield messages.W022_DEFAULT(app=app.main, owner=name, priority=own)
        routed = (route_of(app, name) or {}).get("priority")
        if routed is not None:
            yield messages.W022_ROUTE(app=app.main, task=name, priority=routed)
    if app.conf.task_inherit_parent_priority:
        yield messages.W025(app=app.main)


def _check_queues(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    wrong = _misnamed(app, tasks)
    others = [one for one in own_tasks(app) if one not in {*tasks, *wrong.values()}]
    ours = [name for name in tasks if name not in wrong]
    for queue in queues_of(app, ours):
        sharing = [one for one in others if queue.name in {q.name for q in queues_of(app, [one])}]
        if sharing:
            names = joined(sorted(sharing))
            yield messages.W024(app=app.main, queue=queue.name, others=names, task=ours[0])
    for name in tasks:
        if route_of(app, name) is None:
            yield messages.E019(app=app.main, task=name)


def _check_redis_package(app: Any) -> Iterator[CheckMessage]:
    try:
        if find_spec("redis") is None:
            raise ImportError("the package redis is not installed")
        if not import_module("kombu.transport.redis").redis:
            raise ImportError("the package redis cannot be imported")
    except ImportError as error:
        yield messages.E025(app=app.main, problem=f"{error}.")
        return
    version = metadata.version("redis")
    requirements = import_module("packaging.requirements")  # comes with celery[redis]
    for wanted in map(requirements.Requirement, metadata.requires("kombu") or ()):
        if wanted.name == "redis" and version not in wanted.specifier:
            yield messages.W018(app=app.main, version=version, wanted=wanted.specifier)


def _check_lists(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """Redis keeps each level in a list of its own, with the same name in all apps."""
    options = app.conf.broker_transport_options
    if "priority_steps" not in options:
        yield messages.E021_LEFT_OUT(app=app.main)
    elif list(options["priority_steps"] or ()) != STEPS:
        yield messages.E021(app=app.main, steps=shortened(options["priority_steps"], 100))
    sep = options.get("sep", SEP)
    for queue in queues_of(app, tasks):
        if sep != SEP and str(sep) in queue.name:
            yield messages.E022(app=app.main, sep=shortened(sep, 100), queue=queue.name)
    ours = lists_of(options)
    # CELERY_… in Django's settings, which another process may read where this app does not.
    in_django = getattr(django_settings, "CELERY_BROKER_TRANSPORT_OPTIONS", None) or {}
    yield from differences(app, ours, "Django's CELERY_ settings", lists_of({**ours, **in_django}))
    for other, _ in _apps_that_share(app, tasks):
        theirs = lists_of(other.conf.broker_transport_options or {})
        yield from differences(app, ours, f"the app {other.main}", theirs)


def _check_maxima(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """RabbitMQ's queues keep nine levels apart, and all apps declare them with equal arguments."""
    ours = queues_of(app, tasks)
    classic = [queue for queue in ours if type_of(queue) == "classic"]
    for queue in classic:
        if (maximum_of(queue) or 0) < MAX_PRIORITY:
            yield messages.E023(app=app.main, queue=queue.name, highest=maximum_of(queue))
    quorum = [one.name for one in app.amqp.queues.values() if type_of(one) == "quorum"]
    if app.conf.task_create_missing_queue_type == "quorum":
        quorum.append("task_create_missing_queue_type")
    if quorum and (of_all := app.conf.task_queue_max_priority) is not None:
        yield messages.E024(app=app.main, highest=of_all, queues=joined(quorum))
    # CELERY_… in Django's settings, which another process may read where this app does not.
    in_django = getattr(django_settings, "CELERY_TASK_QUEUE_MAX_PRIORITY", None)
    if in_django is not None:
        theirs = dict.fromkeys(_maxima_of(classic), in_django)
        yield from differences(app, _maxima_of(classic), "Django's CELERY_ settings", theirs)
    for other, shared in _apps_that_share(app, tasks):
        theirs = _maxima_of(shared)
        yield from differences(app, _maxima_of(ours), f"the app {other.main}", theirs)


def lists_of(options: Mapping[str, Any]) -> Terms:
    """On Redis: the names of a queue's lists."""
    steps = list(options.get("priority_steps") or USUAL_STEPS)
    return {"priority_steps": steps, "sep": options.get("sep", SEP)}


def _maxima_of(queues: Iterable[Any]) -> Terms:
    """On RabbitMQ: the arguments with which the queues are declared."""
    return {f"the maximum priority of {one.name!r}": maximum_of(one) for one in queues}


def differences(app: Any, ours: Terms, whose: str, theirs: Terms) -> Iterator[CheckMessage]:
    """One message for each of our terms that differs there.

    Documents that a publisher puts into a list or a queue that its worker does not look for never
    run, and nothing fails.
    """
    for term, value in ours.items():
        if term in theirs and theirs[term] != value:
            said = {"ours": shortened(value, 100), "theirs": shortened(theirs[term], 100)}
            yield messages.E027(app=app.main, term=term, whose=whose, **said)


def _apps_that_share(app: Any, tasks: Tasks) -> Iterator[tuple[Any, list[Any]]]:
    """Other apps at the same broker, and which of our tasks' queues they have."""
    names, urls = {one.name for one in queues_of(app, tasks)}, set(broker.broker_urls(app))
    others = set(_get_active_apps()).difference(known for known, _ in all_apps())
    for other in sorted(others, key=lambda one: str(one.main)):
        if not urls.isdisjoint(broker.broker_urls(other)):
            # Declared or the default one; and of its tasks, if it has come to know them.
            of_tasks = queues_of(other, own_tasks(other)) if other.finalized else []
            queues = [*other.amqp.queues.values(), *of_tasks]
            if shared := [queue for queue in queues if queue.name in names]:
                yield other, shared
