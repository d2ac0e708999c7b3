"""What the system checks of Celery's configuration, broker and workers say, as data."""

from doc_priority.check_messages import ALWAYS, SystemCheck
from doc_priority.contrib.calls import WHERE_HINT
from doc_priority.contrib.levels import MAX_PRIORITY

REMEDY = (
    "Use Redis (redis://, rediss://, sentinel://) or RabbitMQ (amqp://, amqps://) as broker_url, "
    "and the same of them at every address. "
    "On SQS, its fair queues with MessageGroupId=customer come nearest."
)

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
E020 = SystemCheck("E020", "{app}: {problem}", REMEDY)
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
E028 = SystemCheck(
    "E028",
    "{app}: the queue {queue!r} exists with other arguments than {arguments!r}; RabbitMQ refuses "
    "every task that is sent there, and every worker that reads it.",
    "Let it run empty and delete it, or give the tasks a queue with a new name. Where "
    "task_queue_max_priority is set, all queues of the app get it; left out, only those of "
    "prioritised tasks do.",
    ASKS_THE_BROKER,
)
_QUORUM = "{app}: {queue!r} is a quorum queue, and a quorum queue of RabbitMQ {version} "
_NEWER = (
    "Use RabbitMQ 4.3 or newer, or a classic queue with a new name and a maximum priority of "
    f"{MAX_PRIORITY}."
)
E029_TWO_LEVELS = SystemCheck(
    "E029", f"{_QUORUM}merges the nine levels into two.", _NEWER, ASKS_THE_BROKER
)
E029_NO_LEVELS = SystemCheck("E029", f"{_QUORUM}has no priorities.", _NEWER, ASKS_THE_BROKER)
W019 = SystemCheck(
    "W019",
    "{app}: no worker that answers reads the queue {queue!r}, so prioritised tasks wait there.",
    "Start one with -Q {queue}. A worker that is busy may not answer in time.",
    ASKS_THE_BROKER,
)
W026 = SystemCheck(
    "W026",
    "{app}: the broker could not be asked, so nothing can be said about its queues and workers: "
    "{error}",
    "Run this check where the broker can be reached, with the user, password and virtual host "
    "that it knows. It has PUBLISH_TIMEOUT_MS, {seconds:g} s, for an answer.",
    ASKS_THE_BROKER,
)
W027 = SystemCheck(
    "W027",
    "{app}: the worker {worker} fetches {fetched} for its {processes} processes; those are done "
    "before an urgent one that comes later.",
    "Start it without --prefetch-multiplier, and leave worker_prefetch_multiplier out. Tasks with "
    "countdown or eta that it holds count too.",
    ASKS_THE_BROKER,
)
