"""Where things stand in the list of resources: texts that sort as their URIs do, whatever their ids begin with.

`a-b/…` comes before `a/…` although `a` comes before `a-b`. Each has an index (see `tables.py`), so that a page of
the list costs the same in a large store.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.value import Entity

PLACES = {
    "workflow": "id",
    "graph": "id",
    "entry": "namespace",
    "run": "(id || '/')",
    "tx": "(graph_id || '/' || id)",
    "session": "(CAST(number AS TEXT) || '/' || id)",  # with the id, whose order is that of plain text everywhere
}
ONLY = {"session": "host <> ''"}  # those that have or had a process
LAST = "\U0010ffff"


def query(entity: type[Entity], after: str, prefix: str) -> tuple[str, list[str]]:
    """The statement that reads a page, and its values but for the project before them and the limit after them."""
    place = PLACES[entity.kind]
    tests, values = ["project = ?", f"{place} > ?"], [after]
    if prefix:
        tests += [f"{place} >= ?", f"{place} < ?"]
        values += [prefix, prefix + LAST]
    tests += [ONLY[entity.kind]] if entity.kind in ONLY else []
    # every place but a namespace is there once
    what = f"DISTINCT {place}" if entity.kind == "entry" else place
    table = entity.kind
    return f"SELECT {what} FROM {table} WHERE {' AND '.join(tests)} ORDER BY {place} LIMIT ?", values  # noqa: S608
