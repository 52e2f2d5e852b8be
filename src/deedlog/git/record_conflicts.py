"""Conflicts of a merge in files that follow from decision records: nobody has to settle them by hand.

Two branches that decide something both write the architecture and the current task. The first is made anew from all
ADRs; of the tasks that of the branch merged into stays, and the other one is archived.
"""

from __future__ import annotations

import os

from deedlog.core.errors import DeedlogError
from deedlog.core.records.values import ADR_FOLDER, PROMPT_FILE, STATE_FILE, TASK_FILE
from deedlog.git.histories import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.git.histories import Histories

FOLLOWING = {STATE_FILE, TASK_FILE, PROMPT_FILE}
FILE = "100644"


def settled(histories: Histories, merged: Tree, ours: str, theirs: str) -> Tree:
    """What a merge of two trees made, without conflicts where they can be settled; else as it was."""
    if not merged.conflicts or not FOLLOWING.issuperset(merged.conflicts):
        return merged
    try:
        files = _Settling(histories, merged, ours, theirs).files()
    except DeedlogError:
        return merged  # a damaged record: people have to look at it
    return merged if files is None else Tree(oid=_with(histories, merged.oid, files), conflicts=[])


class _Settling:
    def __init__(self, histories: Histories, merged: Tree, ours: str, theirs: str) -> None:
        self._git = histories.git
        self._merged = merged
        self._ours = ours
        self._theirs = theirs

    def files(self) -> dict[str, str | None] | None:
        """The files to write, None for one that goes; None instead of all where somebody has to decide."""
        found: dict[str, str | None] = {}
        state = [self._text(side, STATE_FILE) for side in (self._ours, self._theirs)]
        if any(text is not None and not _is_state(text) for text in state):
            return None
        found[STATE_FILE] = self._architecture()
        if TASK_FILE in self._merged.conflicts:
            tasks = self._tasks()
            if tasks is None:
                return None
            found |= tasks
        if PROMPT_FILE in self._merged.conflicts:
            found[PROMPT_FILE] = self._text(self._ours, PROMPT_FILE)
        return found

    def _architecture(self) -> str:
        from deedlog.core.records.adr import read_adr  # only where branches have decided something
        from deedlog.core.records.architecture import fold, render_state

        rows = self._git.run("ls-tree", "-z", self._merged.oid, f"{ADR_FOLDER}/").split(b"\0")
        named = (row.partition(b"\t")[::2] for row in rows if row)
        blobs = {os.fsdecode(name): facts.split(b" ")[2].decode() for facts, name in named if facts.startswith(b"100")}
        return render_state(
            fold(read_adr(path, self._blob(oid)) for path, oid in blobs.items() if path.endswith(".md"))
        )

    def _tasks(self) -> dict[str, str | None] | None:
        """Ours stays. Theirs is archived; two versions of one task, or one that was written by hand, nobody settles."""
        from deedlog.core.records.task import archive_path, read_task

        ours, theirs = self._text(self._ours, TASK_FILE), self._text(self._theirs, TASK_FILE)
        if theirs is None:
            return {TASK_FILE: ours}
        task = read_task(theirs)
        if ours is None or not task.uid or read_task(ours).uid == task.uid:
            return None
        place = archive_path(task.uid, task.title)
        taken = self._text(self._merged.oid, place)
        found: dict[str, str | None] = {TASK_FILE: ours}
        return found | ({place: theirs} if taken is None else {})

    def _text(self, tree: str, path: str) -> str | None:
        row = self._git.run("ls-tree", "-z", tree, path)
        return self._blob(row.partition(b"\t")[0].split(b" ")[2].decode()) if row.startswith(b"100") else None

    def _blob(self, oid: str) -> str:
        return self._git.run("cat-file", "blob", oid).decode("utf-8", "surrogateescape")


def _is_state(text: str) -> bool:
    from deedlog.core.records.architecture import is_ours

    return is_ours(text)


def _with(histories: Histories, tree: str, files: dict[str, str | None]) -> str:
    """The tree with these files in it, made in an index of our own."""
    lines = []
    for path, text in files.items():
        if text is None:
            lines.append(f"0 {'0' * len(tree)}\t{path}\0")
            continue
        content = text.encode("utf-8", "surrogateescape")
        oid = histories.git.run("hash-object", "-t", "blob", "-w", "--stdin", stdin=content).decode().strip()
        lines.append(f"{FILE} {oid}\t{path}\0")
    git = histories.merging
    git.run("read-tree", tree)
    git.run("update-index", "-z", "--index-info", stdin=os.fsencode("".join(lines)))
    return git.run("write-tree").decode().strip()
