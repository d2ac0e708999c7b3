"""What no REST call takes: refused with a problem that names it, and nothing is done."""

from tests.api.attempts import attempts
from tests.api.calls import CALLS
from tests.api.refusals import Refusals, make_acme
from tests.proof.hostile.scene import caller_of, empty_portal, superuser
from tests.proof.hostile.tried import Tried, sampled


def refused_by_rest(*, every: int) -> Tried:
    """Each input with each call that takes its kind, or each so-and-so-many-th of those pairs."""
    tried = Tried("requests")
    with empty_portal():
        make_acme()
        caller = caller_of(superuser())
        for number, call in enumerate(CALLS):
            refusals = Refusals(caller)
            for attempt in sampled(list(attempts(call))[number % every :], every):
                refusals.attempt(attempt)
            tried.times += refusals.sent
            tried.faults += refusals.faults
            tried.expect(refusals.did_nothing, f"{call}: a refused request left something behind")
    return tried
