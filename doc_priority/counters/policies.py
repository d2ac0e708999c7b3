"""Policies under a lock."""

from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.counters import counters_of
from doc_priority.models import Policy


def policy_kept(connection: BaseDatabaseWrapper, name: str) -> Policy | None:
    """The policy of this name, which nobody deletes until the transaction ends.

    The ORM knows no lock that only keeps a row from being deleted.
    """
    lock = counters_of(connection).SHARE_LOCK
    select = f"SELECT * FROM doc_priority_policy WHERE name = %s {lock}"
    return next(iter(Policy.objects.using(connection.alias).raw(select, [name])), None)
