"""A table as one reads it, as data."""

Table = dict[str, dict[str, str]]


def table(text: str) -> Table:
    """Rows by their names, cells by the names in the first line."""
    first, *lines = (line.strip() for line in text.strip().splitlines())
    columns = first.split()
    rows: Table = {}
    for line in lines:
        words = line.split()
        cells = words[-len(columns) :]
        rows[" ".join(words[: -len(columns)])] = dict(zip(columns, cells, strict=True))
    return rows
