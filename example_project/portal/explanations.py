"""Why a document got its priority, in one sentence."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext


def explain(*, priority: int, pending_documents: int, pinned: bool, policy: str) -> str:
    """The sentence that goes with the answer of a check."""
    if pinned:
        return _("Priority %(priority)d had been set by hand for this client.") % {
            "priority": priority
        }
    if pending_documents == 0:
        return _("The first document after a pause: the counter starts at 0.")
    values = {"count": number_format(-pending_documents), "priority": priority, "policy": policy}
    return _counted(-pending_documents, has_policy=policy != "") % values


def _counted(count: int, *, has_policy: bool) -> str:
    if has_policy:
        return ngettext(
            "%(count)s document counted lately: priority %(priority)d under “%(policy)s”.",
            "%(count)s documents counted lately: priority %(priority)d under “%(policy)s”.",
            count,
        )
    return ngettext(
        "%(count)s document counted lately: priority %(priority)d.",
        "%(count)s documents counted lately: priority %(priority)d.",
        count,
    )
