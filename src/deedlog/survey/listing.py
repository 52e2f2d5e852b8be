"""Which folders a work tree has, and which of its files tell something: as git tracks them, or a look around."""

from __future__ import annotations

import os
import stat
from collections import deque

from deedlog.core.value import Value
from deedlog.survey import languages, surroundings
from deedlog.survey.index import tracked

MOST_FOLDERS, DEEPEST_FOLDER = 2_000, 8
MOST_TELLING, DEEPEST_TELLING = 120, 4
MOST_LOOKED_AT = 5_000  # entries of folders, where git does not tell
MOST_IN_FOLDER = 1_000  # one with more holds data, not structure
DEEPEST_LOOK = 4
LARGEST = 256 << 10
OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # waits for no pipe, follows no link
NOT_OURS = frozenset(
    {
        *(
            "node_modules",
            "vendor",
            "third_party",
            "third-party",
            "bower_components",
            "Pods",
            "Carthage",
            "site-packages",
        ),
        *("fixtures", "__fixtures__", "testdata", "test-data", "test_data", "__snapshots__", "examples", "example"),
        *("samples", "sample", "templates", "template", "test", "tests", "spec", "__tests__", "e2e", "benchmarks"),
    }
)
NEVER_LOOKED_INTO = NOT_OURS - {"test", "tests", "spec", "__tests__", "templates", "examples", "e2e", "benchmarks"} | {
    *(".git", ".deedlog", ".venv", "venv", "env", "__pycache__", ".tox", ".mypy_cache", ".pytest_cache", ".gradle"),
    *("dist", "build", "target", "out", "bin", "obj", ".next", ".nuxt", "coverage", ".terraform", ".idea", ".cache"),
}
NAMES = frozenset({*languages.BY_NAME, *surroundings.BY_NAME, *surroundings.THERE})
ENDINGS = (*languages.BY_ENDING, *surroundings.BY_ENDING)
BEGINNINGS = (*surroundings.BY_BEGINNING, "requirements")
NAME_BYTES = frozenset(map(os.fsencode, NAMES))
LAST_BYTES = frozenset(os.fsencode(ending)[-3:] for ending in ENDINGS)
FIRST_BYTES = frozenset(os.fsencode(beginning)[:6] for beginning in BEGINNINGS)
WORKFLOWS = b".github/workflows/"


class Listing(Value):
    """`telling` are the files worth reading, those nearest to the root first; `files` is how many there are at all."""

    folders: list[str]
    telling: list[str]
    files: int


def of_git(tree: str, git_dir: str, common: str) -> Listing:
    """What git tracks, and what lies at the root without being tracked yet."""
    names = tracked(git_dir, common)
    if not names:
        return of_folder(tree)
    folders = {name[: name.rfind(b"/")] for name in names if b"/" in name}
    telling = [  # a sieve that costs little: it sees every file there is
        name
        for name in names
        if (base := name[name.rfind(b"/") + 1 :]) in NAME_BYTES or base[-3:] in LAST_BYTES or base[:6] in FIRST_BYTES
    ]
    if WORKFLOWS[:-1] in folders:
        telling += [name for name in names if name.startswith(WORKFLOWS)]
    paths = {path for path in map(os.fsdecode, telling) if _tells(path)}
    paths |= {name for name in NAMES if name not in paths and os.path.lexists(os.path.join(tree, name))}
    return _listing({os.fsdecode(name) for name in folders}, paths, len(names))


def of_folder(tree: str) -> Listing:
    """A look around where nothing is tracked: not into what is ignored, and not for long."""
    skipped = NEVER_LOOKED_INTO | _ignored(tree)
    folders: set[str] = set()
    paths = {name for name in NAMES if os.path.lexists(os.path.join(tree, name))}
    waiting = deque([""])
    files, left = 0, MOST_LOOKED_AT
    while waiting and left > 0:
        folder = waiting.popleft()
        entries = _entries(os.path.join(tree, folder))
        left -= len(entries) + 1
        if len(entries) > MOST_IN_FOLDER:
            continue
        inside = [
            f"{folder}/{name}" if folder else name for name, is_folder in entries if is_folder and name not in skipped
        ]
        plain = [f"{folder}/{name}" if folder else name for name, is_folder in entries if not is_folder]
        folders.update(inside)
        files += len(plain)
        paths.update(path for path in plain if _tells(path))
        waiting.extend(path for path in inside if path.count("/") < DEEPEST_LOOK)
    return _listing(folders, paths, files)


def _entries(folder: str) -> list[tuple[str, bool]]:
    """The names in a folder, sorted, and which of them are folders; of one that holds too much, just that it does."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                found.append((entry.name, entry.is_dir(follow_symlinks=False)))
                if len(found) > MOST_IN_FOLDER:
                    break
    except OSError:
        return []
    return sorted(found)


def _ignored(tree: str) -> set[str]:
    """The folders that .gitignore names outright."""
    text = read_text(tree, ".gitignore") or ""
    return {line.strip().strip("/") for line in text.splitlines() if not line.startswith(("#", "!"))}


def _tells(path: str) -> bool:
    name = path.rpartition("/")[2]
    in_workflows = path.startswith(WORKFLOWS.decode())
    return name in NAMES or name.endswith(ENDINGS) or name.startswith(BEGINNINGS) or in_workflows


def _listing(folders: set[str], paths: set[str], files: int) -> Listing:
    above = {folder[:place] for folder in folders for place, char in enumerate(folder) if char == "/"}
    near = sorted(folders | above, key=lambda folder: (folder.count("/"), folder))[:MOST_FOLDERS]
    ours = [path for path in paths if path.count("/") <= DEEPEST_TELLING and NOT_OURS.isdisjoint(path.split("/")[:-1])]
    telling = sorted(ours, key=lambda path: (path.count("/"), path))[:MOST_TELLING]
    return Listing(folders=sorted(folder for folder in near if _is_text(folder)), telling=telling, files=files)


def _is_text(path: str) -> bool:
    """Whether it can be shown and stored: a name on disk may be any bytes."""
    return path.isascii() or path.encode("utf-8", "replace").decode() == path


def read_text(tree: str, path: str) -> str | None:
    """The text of a file in the tree. None for what is too large, leads elsewhere by a link, or is no file."""
    folder, _, name = path.rpartition("/")
    inside = os.path.join(tree, folder) if folder else tree
    if folder and os.path.realpath(inside) != inside:
        return None
    try:
        file = os.open(os.path.join(inside, name), OPEN)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode) or os.fstat(file).st_size > LARGEST:
            return None
        return os.read(file, LARGEST).decode("utf-8-sig", "replace")
    except OSError:
        return None
    finally:
        os.close(file)
