"""What of a repository decides what git does there: refs, settings, hooks, attributes, reflogs, objects."""

from __future__ import annotations

import os
import zlib
from hashlib import new, sha256

from deedlog.core.errors import DeedlogError
from deedlog.git.command import Git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT, OWN_REFS = "refs/deedlog/kept/", "refs/deedlog/"
# what git obeys at the next commit, merge, rebase or reading
FILES = (
    *("HEAD", "MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG", "BISECT_LOG", "shallow"),
    *("config", "config.worktree", "objects/pack/multi-pack-index"),
)
FOLDERS = ("hooks", "info", "objects/info", "rr-cache", "sequencer", "rebase-merge", "rebase-apply", "modules")
LOGS, WORKTREES, OBJECTS, PACKS = "logs", "worktrees", "objects", "pack"
PASSED = ("objects", "lfs", "logs")  # in submodules: too much, and git finds what is wrong there
VOLATILE = ("index", "ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG", "packs", "refs")  # the last two list what is there
OF_WORKTREE = ("HEAD", "gitdir", "commondir", "config.worktree", "MERGE_HEAD")
SETTINGS = ("config", "config.worktree")
# what Deedlog itself moves, as git does, when a work tree of its own gets settings of its own
MOVED = {f"{file} {name}" for file in SETTINGS for name in ("extensions.worktreeconfig", "core.bare", "core.worktree")}
MOST_FILES = 10_000  # of one kind
MOST_DAMAGE = 20  # lines of git about broken objects
PIECE = 1 << 20
# files that git writes when it packs, each with the command that compares it with the objects
VERIFIED = {"objects/info/commit-graph": "commit-graph", "objects/pack/multi-pack-index": "multi-pack-index"}
HASHES = {40: "sha1", 64: "sha256"}  # by the length of an object's name
NANOSECONDS = 1_000  # of a microsecond
UNREADABLE = "the repository"


def fingerprint(common: str, trees: str = "") -> dict[str, str]:
    """Each thing by its name, with what it is at or a digest of what it says. `trees` holds Deedlog's work trees."""
    git = Git(tree=common, git_dir=common)
    listed = os.fsdecode(git.run("for-each-ref", "--format=%(refname) %(objectname)"))
    rows = [line.rsplit(" ", 1) for line in listed.splitlines()]
    found = {name: at for name, at in rows if name.startswith(KEPT) or not name.startswith(OWN_REFS)}
    for name in SETTINGS:
        if os.path.isfile(path := os.path.join(common, name)):
            found |= _settings(name, git.run("config", "--file", path, "--list", "-z", fine=(0, 1, 128)))
    others = [folder for folder in _folders(os.path.join(common, WORKTREES)) if not _is_in(folder, trees)]
    names = [os.path.relpath(os.path.join(folder, name), common) for folder in others for name in OF_WORKTREE]
    found |= _digests(common, [*(name for name in FILES if name not in SETTINGS), *names, *_walked(common)])
    found |= {name: _logged(os.path.join(common, name)) for name in _logs(common)}
    found[OBJECTS] = _names(row[0] for row in _objects(common))
    return found


def changes(
    common: str, trees: str, before: dict[str, str], since: int, merged: set[tuple[str, str]]
) -> list[dict[str, str]]:
    """What differs from an earlier fingerprint, made at `since` (microseconds); Deedlog moved refs to `merged`."""
    try:
        after = fingerprint(common, trees)
    except DeedlogError as error:
        return [{"what": UNREADABLE, "before": "", "after": error.message}]
    names = [name for name in sorted({*before, *after}) if name != OBJECTS and before.get(name) != after.get(name)]
    rows = [{"what": name, "before": before.get(name, ""), "after": after.get(name, "")} for name in names]
    moved = MOVED if _has_own_settings(common, trees) else ()
    found = [row for row in rows if row["what"] not in moved and not _is_expected(common, row, merged)]
    damage = _damage(common, before.get(OBJECTS, ""), since)
    return found + [{"what": OBJECTS, "before": "", "after": text} for text in damage]


def _is_expected(common: str, row: dict[str, str], merged: set[tuple[str, str]]) -> bool:
    """Whether git or Deedlog does such a thing in the course of their work."""
    what, old, new_ = row["what"], row["before"], row["after"]
    if what.startswith(f"{LOGS}/"):
        return _is_growth(common, row)
    if what.startswith(KEPT):
        return not old or not new_  # Deedlog makes and removes them, but moves none
    for name, command in VERIFIED.items():
        if what.startswith(name):
            return not new_ or not _fails(common, command, "verify")
    if (what, new_) not in merged:
        return False
    git = Git(tree=common, git_dir=common)
    return not old or git.ask("merge-base", "--is-ancestor", old, new_, fine=(0, 1, 128))[0] == 0


def _walked(common: str) -> list[str]:
    """Files in folders that git obeys."""
    found = []
    for top in FOLDERS:
        for folder, folders, names in os.walk(os.path.join(common, top)):
            folders[:] = sorted(name for name in folders if name not in PASSED)
            paths = [os.path.join(folder, name) for name in names if name not in VOLATILE]
            found += [os.path.relpath(path, common) for path in paths if not path.endswith(".sample")]
    return found[:MOST_FILES]


def _settings(file: str, text: bytes) -> dict[str, str]:
    """Settings by their names; several of one name count together. Their values may be secrets."""
    found: dict[str, bytes] = {}
    for entry in filter(None, text.split(b"\0")):
        name, _, value = entry.partition(b"\n")
        key = os.fsdecode(name)
        found[key] = found.get(key, b"") + b"\n" + value
    return {f"{file} {key}": sha256(value).hexdigest()[:16] for key, value in found.items()}


def _digests(common: str, names: list[str]) -> dict[str, str]:
    found = {name: _digest(os.path.join(common, name)) for name in names}
    return {name: digest for name, digest in found.items() if digest}


def _digest(path: str, size: int = -1) -> str:
    try:
        with open(path, "rb") as file:
            return sha256(file.read(size)).hexdigest()[:16]
    except OSError:
        return ""


def _logs(common: str) -> list[str]:
    found: list[str] = []
    for folder, _, names in os.walk(os.path.join(common, LOGS)):
        found += [os.path.relpath(os.path.join(folder, name), common) for name in names]
    return sorted(found)[:MOST_FILES]


def _logged(path: str) -> str:
    """How long a reflog is, and a digest of that: it only ever grows."""
    try:
        size = os.path.getsize(path)
    except OSError:
        return ""
    return f"{size} {_digest(path, size)}"


def _is_growth(common: str, row: dict[str, str]) -> bool:
    """Whether a reflog only got more lines, or is new, as with each commit."""
    if not row["before"]:
        return True
    size, _, digest = row["before"].partition(" ")
    return bool(row["after"]) and _digest(os.path.join(common, row["what"]), int(size)) == digest


def _objects(common: str) -> Iterator[tuple[str, str, int]]:
    """The files of objects: name, path, and when each was last changed (its ctime, which no program can set)."""
    for folder in _folders(os.path.join(common, OBJECTS)):
        name = os.path.basename(folder)
        if name == PACKS or len(name) == 2:  # noqa: PLR2004  # the first two digits of an object
            for entry in _entries(folder, most=0):
                try:
                    yield f"{name}/{entry.name}", entry.path, entry.stat(follow_symlinks=False).st_ctime_ns
                except OSError:
                    continue


def _names(names: Iterator[str]) -> str:
    """A digest of names in any order, without drafts of git."""
    whole = sorted(name for name in names if not name.partition("/")[2].startswith("tmp_"))
    return sha256("\n".join(whole).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _damage(common: str, before: str, since: int) -> list[str]:
    """What is wrong with objects. Only files that changed since then are read, and links only if any went away."""
    start = since * NANOSECONDS
    rows = list(_objects(common))
    new_rows = [(name, path) for name, path, at in rows if at >= start]
    found = [f"the contents of {name} are not what its name says" for name, path in new_rows if _is_forged(path)]
    for name, path in new_rows:
        if name.endswith(".idx") and _fails(common, "verify-pack", path):
            found.append(f"{name} is damaged")
    if _names(name for name, _, at in rows if at < start) != before:
        found += _missing(common)
    return found[:MOST_DAMAGE]


def _is_forged(path: str) -> bool:
    """Whether a loose object is another than its name says."""
    name = os.path.basename(os.path.dirname(path)) + os.path.basename(path)
    if len(name) not in HASHES:
        return False  # part of a pack, or a draft
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


def _fails(common: str, *words: str) -> bool:
    return Git(tree=common, git_dir=common).ask(*words, fine=tuple(range(256)))[0] != 0


def _missing(common: str) -> list[str]:
    git = Git(tree=common, git_dir=common)
    words = ("fsck", "--connectivity-only", "--no-dangling", "--no-progress")
    code, said = git.ask(*words, fine=tuple(range(256)))
    lines = os.fsdecode(said).splitlines()
    return [line for line in lines if line.startswith(("missing", "broken", "error"))] or (
        [f"git fsck ends with {code}"] if code else []
    )


def _has_own_settings(common: str, trees: str) -> bool:
    """Whether a work tree of Deedlog has settings of its own."""
    folders = [folder for folder in _folders(os.path.join(common, WORKTREES)) if _is_in(folder, trees)]
    return any(os.path.isfile(os.path.join(folder, "config.worktree")) for folder in folders)


def _is_in(folder: str, trees: str) -> bool:
    """Whether a linked work tree is one of Deedlog's."""
    try:
        with open(os.path.join(folder, "gitdir"), encoding="utf-8", errors="replace") as file:
            tree = os.path.dirname(file.read().strip())
    except OSError:
        return False
    return bool(trees) and os.path.realpath(os.path.dirname(tree)) == os.path.realpath(trees)


def _folders(folder: str) -> list[str]:
    return [entry.path for entry in _entries(folder) if entry.is_dir(follow_symlinks=False)]


def _entries(folder: str, most: int = MOST_FILES) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
    return found[:most] if most else found
