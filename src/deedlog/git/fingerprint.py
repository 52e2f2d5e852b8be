"""What of a repository decides what git does there: refs, settings, hooks, attributes, reflogs, objects."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from stat import S_ISLNK, S_ISREG, S_IXUSR

from deedlog.core.errors import DeedlogError
from deedlog.git.command import Git
from deedlog.git.linked import NOT_SHARED
from deedlog.git.object_files import MOST_FILES, OBJECTS, damaged, entries, fails, folders, object_names

KEPT, PIN = "refs/deedlog/kept/", re.compile("refs/deedlog/base/[^/]+/[^/]+")
REF, LINK = "ref: ", "link: "  # what a name stands for instead of a commit or contents of its own
REFS, PLACE = "refs", "the git directory"
# what git obeys at the next commit, merge, rebase or reading
FILES = (
    *("HEAD", "MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG", "BISECT_LOG", "shallow"),
    *("config", "config.worktree", "commondir", "gitdir", "objects/pack/multi-pack-index"),
)
FOLDERS = ("hooks", "info", "objects/info", "rr-cache", "sequencer", "rebase-merge", "rebase-apply", "modules")
LOGS, WORKTREES = "logs", "worktrees"
PASSED = ("objects", "lfs", "logs")  # in submodules: too much, and git finds what is wrong there
VOLATILE = ("index", "ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG", "packs", "refs")  # the last two list what is there
OF_OWN = ("commondir",)
OF_WORKTREE = ("HEAD", "gitdir", "commondir", "config.worktree", "MERGE_HEAD")
SETTINGS = ("config", "config.worktree")
EXTENSION, INCLUDES = "config extensions.worktreeconfig", re.compile(r"include(if\..*)?\.path", re.DOTALL)
LINKED = "(the file)"
MOST_INCLUDED, MOST_TEXT = 100, 10_000
COMMON = "../.."  # what leads from what git keeps of a work tree to the repository
# files that git writes when it packs, each with the command that compares it with the objects
VERIFIED = {"objects/info/commit-graph": "commit-graph", "objects/pack/multi-pack-index": "multi-pack-index"}
UNREADABLE = "the repository"


def fingerprint(common: str, trees: str = "") -> dict[str, str]:
    """Each thing by its name, with what it is at or a digest of what it says. `trees` holds Deedlog's work trees."""
    git = Git(tree=common, git_dir=common)
    found = {PLACE: os.path.realpath(common)} | _refs(git, common)
    included: dict[str, str] = {}
    for name in SETTINGS:
        found |= _settings(git, os.path.join(common, name), f"{name} ", included)
    found |= {f"included {path}": digest for path, digest in included.items()}
    names = []
    for folder in folders(os.path.join(common, WORKTREES)):
        own = _is_in(folder, trees)
        watched = OF_WORKTREE if not own else () if _text(os.path.join(folder, "commondir")) == COMMON else OF_OWN
        names += [os.path.relpath(os.path.join(folder, name), common) for name in watched]
    found |= _digests(common, [*(name for name in FILES if name not in SETTINGS), *names, *_walked(common)])
    found |= {name: _logged(os.path.join(common, name)) for name in _logs(common)}
    found[OBJECTS] = object_names(common)
    return found


def _refs(git: Git, common: str) -> dict[str, str]:
    """Where refs lead. Git does not list those that lead nowhere, so files are read as well."""
    listed = os.fsdecode(git.run("for-each-ref", "--format=%(refname) %(objectname) %(symref)"))
    rows = [line.split(" ") for line in listed.splitlines()]
    found = {name: f"{REF}{other}" if other else at for name, at, other in rows}
    for folder, inner, names in os.walk(os.path.join(common, REFS)):
        for path in (os.path.join(folder, name) for name in (*inner, *names)):
            name = os.path.relpath(path, common)
            if os.path.islink(path):
                found[name] = LINK + os.readlink(path)
            elif name not in found and os.path.isfile(path) and not name.endswith(".lock"):
                found[name] = _text(path)
    return {name: at for name, at in found.items() if at.startswith((REF, LINK)) or not PIN.fullmatch(name)}


def changes(
    common: str, trees: str, before: dict[str, str], since: int, merged: set[tuple[str, str]]
) -> list[dict[str, str]]:
    """What differs from an earlier fingerprint, made at `since` (microseconds); Deedlog moved refs to `merged`."""
    here = os.path.realpath(common)
    common = before.get(PLACE, here)  # it may lead elsewhere by now
    try:
        after = fingerprint(common, trees) | {PLACE: here}
    except DeedlogError as error:
        return [{"what": UNREADABLE, "before": "", "after": error.message}]
    names = [name for name in sorted({*before, *after}) if name != OBJECTS and before.get(name) != after.get(name)]
    rows = [{"what": name, "before": before.get(name, ""), "after": after.get(name, "")} for name in names]
    moved = _moved(before, after) if _has_own_settings(common, trees) else set()
    found = [row for row in rows if row["what"] not in moved and not _is_expected(common, row, merged)]
    damage = damaged(common, before.get(OBJECTS, ""), since)
    return found + [{"what": OBJECTS, "before": "", "after": text} for text in damage]


def _moved(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """Settings that Deedlog moved, as git does, when a work tree of its own got settings of its own."""
    if after.get(EXTENSION) != _hidden(b"\ntrue"):
        return set()
    found = {EXTENSION}
    for name in NOT_SHARED:
        old, new = (f"{file} {name}" for file in SETTINGS)
        if old not in after and before.get(old) == after.get(new):
            found |= {old, new}
    return found


def _is_expected(common: str, row: dict[str, str], merged: set[tuple[str, str]]) -> bool:
    """Whether git or Deedlog does such a thing in the course of their work."""
    what, old, new_ = row["what"], row["before"], row["after"]
    if new_.startswith((REF, LINK)):
        return False
    if what.startswith(f"{LOGS}/"):
        return _is_growth(common, row)
    if what.startswith(KEPT):
        return not old or (bool(new_) and _is_later(common, old, new_))  # Deedlog removes none
    for name, command in VERIFIED.items():
        if what.startswith(name):
            return not new_ or not fails(common, command, "verify")
    return (what, new_) in merged and (not old or _is_later(common, old, new_))


def _is_later(common: str, old: str, new: str) -> bool:
    return not fails(common, "merge-base", "--is-ancestor", old, new)


def _walked(common: str) -> list[str]:
    """Files in folders that git obeys, and links to such folders."""
    found = [top for top in (*FOLDERS, LOGS, OBJECTS, REFS) if os.path.islink(os.path.join(common, top))]
    for top in FOLDERS:
        for folder, inner, names in os.walk(os.path.join(common, top)):
            passed = PASSED if "HEAD" in names else ()
            inner[:] = sorted(name for name in inner if name not in passed)
            links = [name for name in inner if os.path.islink(os.path.join(folder, name))]
            paths = [os.path.join(folder, name) for name in (*names, *links) if name not in VOLATILE]
            found += [os.path.relpath(path, common) for path in paths if not path.endswith(".sample")]
    found += [f"{OBJECTS}/{name}" for name in _links(os.path.join(common, OBJECTS))]
    return found[:MOST_FILES]


def _links(folder: str) -> list[str]:
    return [entry.name for entry in entries(folder) if entry.is_symlink()]


def _settings(git: Git, path: str, prefix: str, included: dict[str, str]) -> dict[str, str]:
    """Settings by their names; several of one name count together. Their values may be secrets.

    Files that they include, under whatever condition, are added to `included`.
    """
    if not os.path.isfile(path):
        return {}
    found: dict[str, bytes] = {}
    for entry in filter(None, git.run("config", "--file", path, "--list", "-z", fine=(0, 1, 128)).split(b"\0")):
        name, _, value = entry.partition(b"\n")
        key = os.fsdecode(name)
        found[key] = found.get(key, b"") + b"\n" + value
        if INCLUDES.fullmatch(key):
            other = os.path.join(os.path.dirname(path), os.path.expanduser(os.fsdecode(value)))
            if other not in included and len(included) < MOST_INCLUDED:
                included[other] = _digest(other)
                _settings(git, other, "", included)
    mark = {prefix + LINKED: LINK + os.readlink(path)} if os.path.islink(path) else {}
    return mark | {prefix + key: _hidden(value) for key, value in found.items()}


def _hidden(value: bytes) -> str:
    return sha256(value).hexdigest()[:16]


def _digests(common: str, names: list[str]) -> dict[str, str]:
    found = {name: _digest(os.path.join(common, name)) for name in names}
    return {name: digest for name, digest in found.items() if digest}


def _digest(path: str) -> str:
    """What a file is: a link and where it leads, whether it can be run, a digest of what it holds."""
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    if S_ISLNK(status.st_mode):
        return f"{LINK}{os.readlink(path)} {_contents(path)}".rstrip()
    runs = "runs " if status.st_mode & S_IXUSR and S_ISREG(status.st_mode) else ""
    return runs + _contents(path) if S_ISREG(status.st_mode) else "not a file"


def _contents(path: str, size: int = -1) -> str:
    if not os.path.isfile(path):
        return ""
    try:
        with open(path, "rb") as file:
            return _hidden(file.read(size))
    except OSError:
        return ""


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(MOST_TEXT).strip()
    except OSError:
        return ""


def _logs(common: str) -> list[str]:
    found: list[str] = []
    for folder, _, names in os.walk(os.path.join(common, LOGS)):
        found += [os.path.relpath(os.path.join(folder, name), common) for name in names]
    return sorted(found)[:MOST_FILES]


def _logged(path: str) -> str:
    """How long a reflog is, and a digest of that: it only ever grows."""
    if os.path.islink(path):
        return LINK + os.readlink(path)
    if not os.path.isfile(path):
        return ""
    size = os.path.getsize(path)
    return f"{size} {_contents(path, size)}"


def _is_growth(common: str, row: dict[str, str]) -> bool:
    """Whether a reflog only got more lines, or is new, as with each commit."""
    if not row["before"]:
        return True
    if not row["after"] or row["before"].startswith(LINK):
        return False
    size, _, digest = row["before"].partition(" ")
    return _contents(os.path.join(common, row["what"]), int(size)) == digest


def _has_own_settings(common: str, trees: str) -> bool:
    """Whether a work tree of Deedlog has settings of its own."""
    ours = [folder for folder in folders(os.path.join(common, WORKTREES)) if _is_in(folder, trees)]
    return any(os.path.isfile(os.path.join(folder, "config.worktree")) for folder in ours)


def _is_in(folder: str, trees: str) -> bool:
    """Whether a linked work tree is one of Deedlog's."""
    tree = os.path.dirname(_text(os.path.join(folder, "gitdir")))
    return bool(trees) and os.path.realpath(os.path.dirname(tree)) == os.path.realpath(trees)
