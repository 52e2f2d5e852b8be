"""What differs between two manifests."""

from __future__ import annotations

from deedlog.core.change import ADDED, DELETED, MODIFIED, Change
from deedlog.files.ignore import Judge
from deedlog.files.manifest import KEY, MARK, READ, Manifest, content, mark, same
from deedlog.files.reading import TICK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

UNVERIFIED = "could not be verified"
WAS_IGNORED = "was ignored before"


def differences(one: Manifest, other: Manifest) -> dict[str, Change]:
    """The changes by path, without renames."""
    judge = Judge(one.rules) if one.rules != other.rules else None
    unknown = tuple(f"{folder}/" for folder in {*one.closed, *other.closed})
    found = {}
    for path, before, after in _candidates(one, other):
        if not path.startswith(unknown) and not _out_of_sight(path, before, after, one, other):
            change = _change(path, before, after)
            if judge and change and change.status == ADDED and judge.ignores(path):
                assert after
                change = _came_in_sight(change, after, one.at)
            if change:
                found[path] = change
    return found


def _candidates(one: Manifest, other: Manifest) -> Iterator[tuple[str, bytes | None, bytes | None]]:
    for folder in one.folders() | other.folders():
        if one.differs(other, folder):
            before, after = one.files(folder), other.files(folder)
            prefix = f"{folder}/" if folder else ""
            for name in before.keys() | after.keys():
                old, new = before.get(name), after.get(name)
                if old != new and not (old and new and len(old) == MARK and new.startswith(old + READ)):
                    yield prefix + name, old, new


def _out_of_sight(path: str, before: bytes | None, after: bytes | None, one: Manifest, other: Manifest) -> bool:
    """Whether each manifest that has an entry of it has it only for the sake of an earlier one."""
    return not (before and path not in one.hidden) and not (after and path not in other.hidden)


def _change(path: str, before: bytes | None, after: bytes | None) -> Change | None:
    if not before:
        return Change(path=path, status=ADDED)
    if not after:
        return Change(path=path, status=DELETED)
    equal = same(before, after)
    return None if equal else Change(path=path, status=MODIFIED, note=UNVERIFIED if equal is None else "")


def _came_in_sight(change: Change, after: bytes, since: int) -> Change | None:
    """What new rules let in was there before, unless it changed since."""
    _, modified, changed, _, _ = KEY.unpack_from(after)
    return change.replace(note=WAS_IGNORED) if max(modified, changed) >= since - TICK else None


def learn(one: Manifest, paths: Sequence[str], later: Manifest) -> None:
    """Take over contents that were read later, where the key says that the file was still the same."""
    for path in paths:
        unread, read = one.entry(path), later.entry(path)
        if unread and read and read[:MARK] == unread and mark(read) == READ:
            one.put(path, read)


def with_renames(found: dict[str, Change], one: Manifest, other: Manifest) -> list[Change]:
    """The changes sorted by path; what disappeared and what appeared name each other if they are plainly the same."""
    pairs: dict[str, str] = {}
    for identity in (_moved, _content):
        gone = [path for path, change in found.items() if change.status == DELETED and path not in pairs]
        come = [path for path, change in found.items() if change.status == ADDED and path not in pairs]
        for old, new in _pairs(_once(gone, one, identity), _once(come, other, identity)):
            if same(_entry(one, old), _entry(other, new)) is not False:
                pairs |= {old: new, new: old}
    return [_named(found[path], pairs.get(path, "")) for path in sorted(found)]


def _named(change: Change, other: str) -> Change:
    if not other:
        return change
    return change.replace(renamed_to=other) if change.status == DELETED else change.replace(renamed_from=other)


def _pairs(gone: dict[Hashable, str], come: dict[Hashable, str]) -> list[tuple[str, str]]:
    return [(gone[identity], come[identity]) for identity in gone.keys() & come.keys()]


def _once(
    paths: Sequence[str], manifest: Manifest, identity: Callable[[bytes], Hashable | None]
) -> dict[Hashable, str]:
    """The paths whose identity no other one has."""
    by_identity: dict[Hashable, list[str]] = {}
    for path in paths:
        if (found := identity(_entry(manifest, path))) is not None:
            by_identity.setdefault(found, []).append(path)
    return {found: paths[0] for found, paths in by_identity.items() if len(paths) == 1}


def _entry(manifest: Manifest, path: str) -> bytes:
    entry = manifest.entry(path)
    assert entry
    return entry


def _moved(entry: bytes) -> Hashable:
    """`mv` leaves all of this as it was."""
    size, modified, _, inode, mode = KEY.unpack_from(entry)
    return size, modified, inode, mode


def _content(entry: bytes) -> Hashable | None:
    size, _, _, _, mode = KEY.unpack_from(entry)
    return (mode & 0o170000, content(entry)) if size and mark(entry) else None
