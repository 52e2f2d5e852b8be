"""Objects of a repository: which there are, and whether those that changed are what their names say."""

from __future__ import annotations

import os
import zlib
from hashlib import new, sha256

from deedlog.git.command import Git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

OBJECTS, PACKS = "objects", "pack"
MOST_FILES = 10_000  # of one kind
MOST_DAMAGE = 20  # lines of git about broken objects
PIECE = 1 << 20
HASHES = {40: "sha1", 64: "sha256"}  # by the length of an object's name
HASH_BYTES = {"sha1": 20, "sha256": 32}
NANOSECONDS = 1_000  # of a microsecond


def object_names(common: str) -> str:
    """A digest of the names of all files of objects."""
    return _names(row[0] for row in _objects(common))


def _objects(common: str) -> Iterator[tuple[str, str, int]]:
    """The files of objects: name, path, and when each was last changed (its ctime, which no program can set)."""
    for folder in folders(os.path.join(common, OBJECTS)):
        name = os.path.basename(folder)
        if name == PACKS or len(name) == 2:  # noqa: PLR2004  # the first two digits of an object
            for entry in entries(folder, most=0):
                try:
                    yield f"{name}/{entry.name}", entry.path, entry.stat(follow_symlinks=False).st_ctime_ns
                except OSError:
                    continue


def _names(names: Iterator[str]) -> str:
    """A digest of names in any order, without drafts of git."""
    whole = sorted(name for name in names if not name.partition("/")[2].startswith("tmp_"))
    return sha256("\n".join(whole).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def damaged(common: str, before: str, since: int) -> list[str]:
    """What is wrong with objects. Only files that changed since then are read, and links only if any went away."""
    start = since * NANOSECONDS
    rows = list(_objects(common))
    new_rows = {name: path for name, path, at in rows if at >= start}
    found = [f"{name} is a link" for name, path in new_rows.items() if os.path.islink(path)]
    found += [f"the contents of {name} are not what its name says" for name in new_rows if _is_forged(new_rows[name])]
    packs = {os.path.splitext(name)[0] for name in new_rows if name.endswith((".pack", ".idx"))}
    found += [f"{name}.pack is damaged" for name in sorted(packs) if _is_damaged(common, name, new_rows)]
    if _names(name for name, _, at in rows if at < start) != before:
        found += _missing(common)
    return found[:MOST_DAMAGE]


def _is_forged(path: str) -> bool:
    """Whether a loose object is another than its name says."""
    name = os.path.basename(os.path.dirname(path)) + os.path.basename(path)
    if len(name) not in HASHES:
        return False  # part of a pack, or a draft
    if not os.path.isfile(path):
        return os.path.lexists(path)
    digest, unpack = new(HASHES[len(name)], usedforsecurity=False), zlib.decompressobj()
    try:
        with open(path, "rb") as file:
            while piece := file.read(PIECE):
                digest.update(unpack.decompress(piece))
    except FileNotFoundError:
        return False
    except (OSError, zlib.error):
        return True
    return digest.hexdigest() != name


def _is_damaged(common: str, name: str, changed: Collection[str]) -> bool:
    """Whether a pack is another than its index says. An index that did not change vouches for its pack."""
    path = os.path.join(common, OBJECTS, name)
    if f"{name}.idx" in changed:
        return fails(common, "verify-pack", f"{path}.idx") and os.path.lexists(f"{path}.idx")
    try:
        with open(f"{path}.idx", "rb") as file:
            index = file.read()
        return not any(_is_pack_of(index, f"{path}.pack", kind) for kind in HASH_BYTES)
    except FileNotFoundError:
        return False  # packed anew meanwhile
    except OSError:
        return True


def _is_pack_of(index: bytes, pack: str, kind: str) -> bool:
    """Whether the digest of a pack is the one that its index has of it. Git often only marks a pack as used."""
    length = HASH_BYTES[kind]
    said = index[-2 * length : -length]
    with open(pack, "rb") as file:
        left = os.fstat(file.fileno()).st_size - length
        file.seek(max(left, 0))
        if file.read() != said:
            return False
        file.seek(0)
        digest = new(kind, usedforsecurity=False)
        while left and (piece := file.read(min(PIECE, left))):
            digest.update(piece)
            left -= len(piece)
    return digest.digest() == said


def fails(common: str, *words: str) -> bool:
    return Git(tree=common, git_dir=common).ask(*words, fine=tuple(range(256)))[0] != 0


def _missing(common: str) -> list[str]:
    git = Git(tree=common, git_dir=common)
    words = ("fsck", "--connectivity-only", "--no-dangling", "--no-progress")
    code, said = git.ask(*words, fine=tuple(range(256)))
    lines = os.fsdecode(said).splitlines()
    return [line for line in lines if line.startswith(("missing", "broken", "error"))] or (
        [f"git fsck ends with {code}"] if code else []
    )


def folders(folder: str) -> list[str]:
    return [entry.path for entry in entries(folder) if entry.is_dir(follow_symlinks=False)]


def entries(folder: str, most: int = MOST_FILES) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as listed:
            found = sorted(listed, key=lambda entry: entry.name)
    except OSError:
        return []
    return found[:most] if most else found
