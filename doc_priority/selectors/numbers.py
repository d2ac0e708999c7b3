"""How many customers there are, and how many there are about."""

from django.db import connections

from doc_priority.querysets import CustomerQuerySet

MANY = 200_000
"""Counting so many rows takes as long as everything else on a page."""
ABOUT = """
SELECT CASE WHEN c.reltuples > %s THEN c.reltuples::bigint ELSE (SELECT COUNT(*) FROM {table}) END
  FROM pg_class c WHERE c.oid = to_regclass(%s)
"""


def number_of(customers: CustomerQuerySet) -> int:
    """How many rows of the live list these are.

    Where nothing narrows them they are counted without the joins that only the columns need.
    """
    if _is_narrowed(customers):
        return customers.count()
    number: int = customers.model._base_manager.using(customers.db).count()
    return number


def about_number_of(customers: CustomerQuerySet) -> int:
    """The same for whoever need not know each: of many customers what PostgreSQL knows of them.

    It has that from the last time autovacuum or ANALYZE saw the table. Where something narrows
    the rows, and on other databases, they are counted.
    """
    connection = connections[customers.db]
    if _is_narrowed(customers) or connection.vendor != "postgresql":
        return number_of(customers)
    table = connection.ops.quote_name(customers.model._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(ABOUT.format(table=table), [MANY, table])
        (number,) = cursor.fetchone()
    return int(number)


def _is_narrowed(customers: CustomerQuerySet) -> bool:
    query = customers.query
    return bool(query.where or query.combinator or query.is_sliced)
