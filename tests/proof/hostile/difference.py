"""What became different in what is stored, in words."""

from collections.abc import Iterator

from django.apps import apps

from tests.proof.hostile.scene import Stored

Rows = dict[object, dict[str, object]]


def difference(before: Stored, after: Stored) -> str:
    """Rows that came (`+Customer`) or went (`-Customer`), columns of those that stayed, in order.

    Of an event it says of which kind it is. Empty when all is as it was.
    """
    return " ".join(
        sorted(
            word
            for table in before
            if before[table] != after[table]
            for word in _of_rows(table, _rows(table, before), _rows(table, after))
        )
    )


def _rows(table: str, kept: Stored) -> Rows:
    """By their primary keys, with the columns that the database does not make of others."""
    models = apps.get_models(include_auto_created=True)
    (meta,) = (model._meta for model in models if model.__name__ == table)
    columns = {field.attname: number for number, field in enumerate(meta.concrete_fields)}
    key = columns[meta.pk.attname]
    written = [field.attname for field in meta.concrete_fields if not field.generated]
    return {row[key]: {name: row[columns[name]] for name in written} for row in kept[table]}


def _of_rows(table: str, before: Rows, after: Rows) -> Iterator[str]:
    yield from (f"+{_named(table, after[pk])}" for pk in after.keys() - before.keys())
    yield from (f"-{_named(table, before[pk])}" for pk in before.keys() - after.keys())
    for pk in before.keys() & after.keys():
        changed = (name for name, value in after[pk].items() if value != before[pk][name])
        yield from (f"{table}.{name}" for name in changed)


def _named(table: str, row: dict[str, object]) -> str:
    return f"{table}({row['kind']})" if "kind" in row else table
