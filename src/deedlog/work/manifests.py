"""The packages that a patch adds to manifests: by what these say before and after, else by lines."""

from __future__ import annotations

from deedlog.core.drift import MANIFEST, bare, packages_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

JSON, TOML = (".json",), (".toml", "Pipfile")
NESTED = 20
LONGEST = 2_000_000


def packages_added(patch: bytes) -> list[str]:
    """Names, without versions, in the order they come."""
    found = dict.fromkeys(packages_in(patch))
    for path, old, new in _manifests(patch):
        if path.endswith((*JSON, *TOML)):
            before = {name for text in _readings(old) for name in _named(path, text)}
            found |= dict.fromkeys(name for text in _readings(new) for name in _named(path, text) if name not in before)
    return list(found)


def _manifests(patch: bytes) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each manifest of a patch with the lines it had and has, as far as the patch shows them."""
    path, old, new = "", list[str](), list[str]()
    for line in [*patch[:LONGEST].decode("utf-8", "replace").split("\n"), "diff --git "]:
        if line.startswith("diff --git "):
            if path:
                yield path, old, new
            path, old, new = "", [], []
        elif line.startswith("+++ ") and not new:
            named = line[4:].partition("\t")[0].strip('"').removeprefix("b/")
            path = named if MANIFEST.fullmatch(named) else ""
        elif path and line[:1] in ("+", " "):
            new.append(line[1:])
            old += [line[1:]] if line[0] == " " else []
        elif path and line[:1] == "-":
            old.append(line[1:])


def _readings(lines: list[str]) -> list[str]:
    """The whole text; and each line, as one may hold a whole table."""
    return ["\n".join(lines), *lines]


def _named(path: str, text: str) -> list[str]:
    """The packages that a text of a manifest lists; none where it is only a part that cannot be read."""
    tables = [_json(text), _json("{" + text.strip().rstrip(",") + "}")] if path.endswith(JSON) else [_toml(text)]
    return [name for table in tables for name in _listed(table, 0)]


def _listed(table: Any, depth: int) -> Iterator[str]:
    """What stands below a key that says so, wherever that is: dependencies, require, dev-packages."""
    if not isinstance(table, dict) or depth > NESTED:
        return
    for key, value in table.items():
        if _lists_packages(key):
            yield from _packages(value)
        yield from _listed(value, depth + 1)


def _lists_packages(key: str) -> bool:
    said = key.lower().replace("_", "-")
    return said.endswith(("dependencies", "packages")) or said in ("require", "require-dev", "dependency-groups")


def _packages(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        yield from (bare(item) for item in value if isinstance(item, str))
    elif isinstance(value, dict):
        for name, given in value.items():
            if isinstance(given, list):  # an extra, with what it needs
                yield from _packages(given)
            else:
                yield bare(name)


def _json(text: str) -> Any:
    import json  # only where a manifest has changed

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _toml(text: str) -> Any:
    import tomllib  # only where a manifest has changed

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
