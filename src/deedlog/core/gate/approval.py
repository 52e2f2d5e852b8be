"""What a person approved who let a server of a repository or of the catalogue run: exactly this program."""

from __future__ import annotations

import json

from deedlog.core.gate.reference import keys_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.gate.server import Server

    Json = dict[str, Any]


def approval(server: Server, root: str) -> str:
    """Another command, version, key or way to be run needs another approval. What a repository brings needs one in each
    project: `./run.sh` is not the same in both.
    """
    from hashlib import sha256  # only what needs an approval needs it

    more = [sorted(keys_of(server)), server.boot, server.call_seconds]
    where = root if server.brought else ""
    text = json.dumps([where, server.launch, more], sort_keys=True, ensure_ascii=True)
    return sha256(text.encode()).hexdigest()


def is_approved(given: Any, mark: str) -> bool:
    """Whether what our file has under a server's name, one mark or several of several projects, contains this one."""
    return mark in given if isinstance(given, list) else given == mark


def approving(given: Any, mark: str) -> str | list[str]:
    """What our file has to have, so that this one is approved of, too."""
    if is_approved(given, mark):
        return given  # type: ignore[no-any-return]
    before = given if isinstance(given, list) else [given] if isinstance(given, str) else []
    return [*before, mark] if before else mark


def approved(file: Json, server: Server, root: str) -> Json:
    """Our user's file, in which this server is approved of."""
    given = file.get("approved")
    marks = given if isinstance(given, dict) else {}
    return {**file, "approved": {**marks, server.name: approving(marks.get(server.name), approval(server, root))}}


def revoked(file: Json, server: Server, root: str) -> Json:
    """Our user's file, in which this server is not approved any more."""
    given = file.get("approved")
    marks = given if isinstance(given, dict) else {}
    mine, mark = marks.get(server.name), approval(server, root)
    left = [each for each in (mine if isinstance(mine, list) else [mine]) if isinstance(each, str) and each != mark]
    others = {name: value for name, value in marks.items() if name != server.name}
    return {**file, "approved": {**others, server.name: left} if left else others}
