"""SQL where none belongs."""

from collections.abc import Iterable

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from doc_priority.models import Counter


def reset_all() -> None:
    with connection.cursor() as cursor:  # planted
        cursor.execute("UPDATE doc_priority_counter SET pending_documents = 0")  # planted


def doubled(counters: QuerySet[Counter]) -> QuerySet[Counter]:
    return counters.annotate(twice=RawSQL("pending_documents * 2", ()))  # planted


def all_of_them() -> Iterable[Counter]:
    return Counter.objects.raw("SELECT * FROM doc_priority_counter")  # planted
