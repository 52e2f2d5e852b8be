"""The user's record of what they approved and which stores they made: one private file beside their configuration.

No repository, archive or store can bring this file. It names each repository by the real path of its git directory.
A store beside a project's files holds a random marker; it is ours where the record has the same marker for its path.
"""

from __future__ import annotations

import json
import os

from deedlog.core.errors import Part, Unavailable
from deedlog.core.trust import MERGE_NEEDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Json = dict[str, Any]

FILE, MARKER = "trusted.json", "made-here"
APPROVED, STORES = "approved", "stores"
MOST_MARKER = 100


class Trusted:
    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, FILE)

    def approved(self, identity: str) -> Json:
        """The hashes that were approved in one repository, by the names of what they are of."""
        return _table(_table(self._content(), APPROVED), identity)

    def approve(self, identity: str, marks: Mapping[str, str]) -> None:
        def changed(table: Json) -> Json:
            before = _table(table, identity)
            earlier = {name: _marks(before, name) if name not in MERGE_NEEDS else [] for name in marks}
            added = {name: [*dict.fromkeys([*earlier[name], mark])] for name, mark in marks.items()}
            return {**table, identity: {**before, **added}}

        self._change(APPROVED, changed)

    def revoke(self, identity: str, names: Iterable[str]) -> None:
        gone = set(names)

        def changed(table: Json) -> Json:
            kept = {name: marks for name, marks in _table(table, identity).items() if name not in gone}
            others = {key: value for key, value in table.items() if key != identity}
            return {**others, identity: kept} if kept else others

        self._change(APPROVED, changed)

    def knows_store(self, store: str) -> bool:
        """Whether this user made a store here, or approved it."""
        marker = _marker(store)
        return bool(marker) and _table(self._content(), STORES).get(os.path.realpath(store)) == marker

    def make_store(self, store: str) -> None:
        """Make the folder of a new store and record it; whoever comes second finds it made."""
        marker = os.urandom(16).hex()
        draft = f"{store}.{os.getpid()}-{marker[:8]}"

        def move() -> None:
            if not os.path.isdir(store):
                os.rename(draft, store)

        try:
            os.mkdir(draft, 0o700)
            _put(os.path.join(draft, MARKER), marker)
            self._change(STORES, lambda table: _first(table, store, marker), then=move)
        except OSError as error:
            raise _failed(store, error) from error
        finally:
            _drop(draft)

    def adopt_store(self, store: str) -> None:
        """Record a store that is there already, under a new marker."""
        marker = os.urandom(16).hex()
        try:
            _put(os.path.join(store, MARKER), marker)
        except OSError as error:
            raise _failed(store, error) from error
        self._change(STORES, lambda table: {**table, os.path.realpath(store): marker})

    def forget_store(self, store: str) -> None:
        path = os.path.realpath(store)
        self._change(STORES, lambda table: {key: value for key, value in table.items() if key != path})

    def _content(self) -> Json:
        try:
            with open(self.path, encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError):
            return {}  # without a record nothing is approved
        return found if isinstance(found, dict) else {}

    def _change(self, part: str, change: Callable[[Json], Json], then: Callable[[], None] = lambda: None) -> None:
        """Change one part of the record, `then` do something; other processes wait meanwhile."""
        import fcntl  # only where something is written

        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            lock = os.open(self.path + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                content = self._content()
                after = {**content, part: change(_table(content, part))}
                _put(self.path, json.dumps(after, indent=1, sort_keys=True) + "\n")
                then()
            finally:
                os.close(lock)
        except OSError as error:
            raise Unavailable(
                f"{self.path} cannot be written: {error.strerror}",
                hint="check the permissions there, or set XDG_CONFIG_HOME to a folder that you can write",
                part=Part.CONFIGURATION,
            ) from error


def _first(table: Json, store: str, marker: str) -> Json:
    """The record with a new marker, unless another process made the store meanwhile."""
    return table if os.path.isdir(store) else {**table, os.path.realpath(store): marker}


def _marker(store: str) -> str:
    try:
        file = os.open(os.path.join(store, MARKER), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    with open(file, "rb") as opened:
        return opened.read(MOST_MARKER).decode("ascii", "replace").strip()


def _put(path: str, text: str) -> None:
    """The file appears under its name only when it is whole and on disk."""
    draft = f"{path}.{os.getpid()}-{os.urandom(4).hex()}"
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with os.fdopen(os.open(draft, new, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


def _drop(draft: str) -> None:
    for remove, path in ((os.unlink, os.path.join(draft, MARKER)), (os.rmdir, draft)):
        try:
            remove(path)
        except OSError:
            pass


def _failed(store: str, error: OSError) -> Unavailable:
    return Unavailable(
        f"{store} cannot be made: {error.strerror}",
        hint="check the permissions of its folder, or set DEEDLOG_STORE",
        part=Part.CONFIGURATION,
    )


def _table(content: Json, name: str) -> Json:
    found = content.get(name)
    return found if isinstance(found, dict) else {}


def _marks(table: Json, name: str) -> list[str]:
    found = table.get(name)
    return found if isinstance(found, list) else []
