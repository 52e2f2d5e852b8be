"""What git ignored at an earlier moment, by the rules of that moment."""

from __future__ import annotations

import os

from deedlog.git.command import Git
from deedlog.git.repository import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from deedlog.git.repository import Repository
    from deedlog.git.status import State
    from deedlog.git.tree import WorkTree

RULES = ".gitignore"
LINK = "120000"
HERE = b"./"


def excluding(repository: Repository) -> bytes:
    """What files besides `.gitignore` say is ignored; the last rule that fits counts."""
    return b"\n".join(text_at(path) for path in reversed(repository.excludes()))


def ignored_then(tree: WorkTree, paths: Collection[str], changed: Mapping[str, State], excludes: bytes) -> set[str]:
    """Those of the paths that git ignored. `changed` are the `.gitignore` files that were different, as they were."""
    import tempfile  # few files ask for it

    with tempfile.TemporaryDirectory(prefix="rules-", dir=os.path.dirname(tree.index.path)) as scratch:
        _write(scratch, ".git/HEAD", b"ref: refs/heads/none\n")
        for name in ("objects", "refs"):
            os.mkdir(os.path.join(scratch, ".git", name))
        _write(scratch, ".git/info/exclude", excludes)
        for folder in _folders(paths):
            name = os.path.join(folder, RULES)
            if text := _then(tree, changed[name]) if name in changed else text_at(os.path.join(tree.root, name)):
                _write(scratch, name, text)
        case = tree.repository.config.get("core.ignorecase", "false")
        settings = {"core.excludesFile": os.devnull, "core.ignoreCase": case}
        git = Git(tree=scratch, settings=settings, literal=False)
        asked = b"".join(HERE + os.fsencode(path) + b"\0" for path in paths)
        found = git.run("check-ignore", "--no-index", "-z", "--stdin", stdin=asked, fine=(0, 1))
    return {os.fsdecode(name.removeprefix(HERE)) for name in found.split(b"\0") if name}


def _folders(paths: Collection[str]) -> set[str]:
    """All that contain them."""
    found = {""}
    for path in paths:
        while path := os.path.dirname(path):
            found.add(path)
    return found


def _then(tree: WorkTree, state: State) -> bytes:
    if state is None or state[0] == LINK:  # git follows no links to rules
        return b""
    return tree.git.run("cat-file", "blob", state[1], fine=(0, 128))


def _write(folder: str, name: str, data: bytes) -> None:
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
