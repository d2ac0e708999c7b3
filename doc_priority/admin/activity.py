"""One moment for all that a page says, and which customers may move then."""

from django.http import HttpRequest

from doc_priority.selectors import Activity, activity

_ATTRIBUTE = "_doc_priority_activity"


def activity_of(request: HttpRequest) -> Activity:
    """Read once a request: list, filters and paginator must speak of the same moment."""
    found: Activity | None = getattr(request, _ATTRIBUTE, None)
    if found is None:
        found = activity()
        setattr(request, _ATTRIBUTE, found)
    return found
