"""What an operation may ask of files: states of work trees, trees for workers, records, what a repository says."""

from __future__ import annotations

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, Protocol

    from deedlog.core.change import Comparison, Snapshot
    from deedlog.core.clarify.lexicon import Lexicon
    from deedlog.core.clarify.values import Facts
    from deedlog.core.records.values import Book, RecordFile

    Json = dict[str, Any]
else:
    Protocol = object


class Snapshots(Protocol):
    """The states of work trees: taken at a moment, compared later, whatever happened to the tree in between."""

    def take(self, snapshot_id: str, tree: str | None = None) -> Snapshot:
        """Record the state of a work tree, the one the caller stands in if none is named.

        Nothing of the user's is changed but one ref of ours that keeps the base from being collected.
        """

    def compare(self, tree: str, snapshot_ids: Sequence[str]) -> Comparison:
        """What differs between the first and the last of them; those between part the time in intervals."""

    def forget(self, tree: str, keep: Sequence[str], done: Sequence[str] = ()) -> None:
        """Let go of the snapshots of a tree that are `done`, and of what was left behind by calls that died.

        Those to `keep` stay, and so do young ones: a call may be about to commit what names them.
        """

    def here(self, tree: str) -> list[str]:
        """The snapshots of a tree that this machine has. Another one may have a tree of the same name."""

    def abandoned(self, tree: str) -> list[str]:
        """The snapshots whose takers are dead. Ask before reading what is committed: such one cannot commit later."""

    def paths(self, tree: str, snapshot_id: str) -> Iterator[str]:
        """The paths that were there when a snapshot was taken, in any order, each perhaps twice.

        One after another, because whoever asks mostly stops early. Ignored files need not be among them.
        """


class Worktree(Value):
    """A work tree made for a session: on its own `branch`, from the commit `base` of the branch it is for."""

    path: str
    branch: str
    base: str
    target: str
    warnings: list[str] = []  # noqa: RUF012  # values are never changed in place


class TreeState(Value):
    """What a session's work tree holds that is nowhere else: changed paths, and commits since its base."""

    there: bool
    dirty: list[str] = []  # noqa: RUF012
    commits: int = 0


class Merge(Value):
    """What came of a merge: the `commit` the target is at now and how, or the paths that are in conflict.

    `how` is merge, squash, rebase, or nothing where there was nothing to bring.
    """

    commit: str = ""
    how: str = ""
    conflicts: list[str] = []  # noqa: RUF012


class Worktrees(Protocol):
    """Work trees of their own for sessions, below `.deedlog/worktrees/`, and what becomes of their work.

    A branch or a tree of a name that exists already is never taken over. Nothing that is not committed and
    merged is removed unless it was kept, and the user's own trees, index and branches change only by `merge`.
    """

    def target(self, configured: str) -> str:
        """The branch work is for: the configured one, else the one the main work tree is on."""

    def make(self, name: str, branch: str, target: str, exclude: Sequence[str] = ()) -> Worktree:
        """Make a branch from the tip of `target` and a work tree on it, without the files that match `exclude`."""

    def put(self, path: str, files: Mapping[str, str], *, read_only: bool = False) -> None:
        """Write files of ours into a work tree where git does not see them; one that is tracked there is left alone."""

    def state(self, path: str, base: str) -> TreeState: ...
    def commit(self, path: str, message: str) -> str:
        """Commit everything that differs in a work tree but what is set apart; the hash of its head afterwards."""

    def apply(self, path: str, patch: bytes, leave_out: Sequence[str] = ()) -> bool:
        """Change the files of a work tree by a patch, but those to be left out: all of it, or nothing and False."""

    def set_apart(self, path: str) -> list[str]:
        """What differs in a work tree now is nobody's work, as long as it stays as it is; its paths."""

    def tip(self, branch: str) -> str:
        """The commit a branch is at; empty where there is none."""

    def merged(self, branch: str, base: str, target: str, tip: str = "") -> str:
        """How the commits of a branch came into the target: merge, rebase, squash; empty where they did not.

        A branch that is gone was at `tip`.
        """

    def merge(self, branch: str, base: str, target: str, how: str, message: str) -> Merge:
        """Bring the commits of a branch into the target. In a conflict nothing at all changes."""

    def keep(self, path: str, name: str) -> str:
        """Keep all a work tree holds, committed or not, under a ref of ours; the commit that has it."""

    def restore(self, name: str, branch: str, commit: str) -> str:
        """Make a work tree anew as it was kept: its branch where it was, what was not committed as it was; its path."""

    def remove(self, path: str, branch: str) -> None:
        """Remove a work tree and its branch, whatever is in them; one that is gone already is no mistake."""

    def names(self) -> list[str]:
        """The work trees there are below `.deedlog/worktrees/`."""

    def abandoned(self) -> list[Worktree]:
        """Those of them whose makers are dead. Ask before reading what is committed: such one cannot commit later."""


class Documents(Protocol):
    """Files below `.deedlog/` that show what the store holds."""

    def export(self, folder: str, files: Mapping[str, str]) -> str:
        """Let `folder` hold exactly these files; its path. Names can never lead out of it."""


class Writing(Protocol):
    """The only writer of a repository's records, while it lasts.

    `unfinished` is the note of a writer that died: its ADR is there, or its task, but nobody knows whether its op is.
    Its `whole` says that all of its files are, as they were written.
    """

    book: Book
    unfinished: Json | None

    def uid(self) -> str:
        """A UID later than every one this repository has given or holds."""

    def put(self, files: Sequence[RecordFile], note: Json) -> None:
        """Write all of the files, or none and refuse. After a crash the next writer finishes it, and finds the note."""

    def done(self) -> None:
        """What was put, or found unfinished, is committed: its note is dropped."""


class Records(Protocol):
    """The decision records of a work tree: files below docs/. The ADRs are the truth, the rest follows from them."""

    tree: str

    def book(self) -> Book:
        """All that is there, with what a dead writer left finished and the architecture file up to date."""

    def there(self) -> bool:
        """Whether there are ADRs at all: one look at the folder, nothing is read."""

    def look(self, *, task: bool = True) -> Book:
        """All that is there, as it is: nothing is written, finished or waited for. The current task may be left out."""

    def of(self, tree: str) -> Records:
        """The records of another work tree of this repository."""

    def text(self, path: str) -> str:
        """What one of the records' files holds, as it is; `NotFound` where there is none."""

    def wrote(self, path: str, text: bytes | None = None) -> bool:
        """Whether what is at the path of a record is what Deedlog wrote; a prompt that is gone, it may have removed.

        `text` is what a commit has there, where that is meant.
        """

    def sources(self) -> dict[str, str | None]:
        """Every ADR's file with its text, also those that cannot be read as one; what is no plain file has none."""

    def committed(self) -> dict[str, str]:
        """The blob that git has committed under the path of each ADR; nothing without git."""

    def absent(self) -> list[str]:
        """ADRs that git has and keeps out of this work tree: a sparse checkout. Nothing is written beside them."""

    def rebuild(self) -> bool:
        """Write the architecture's file anew where it is missing or stale, or refuse; returns whether it was."""

    def writing(self) -> AbstractContextManager[Writing]: ...


class Survey(Protocol):
    """What the repository around a work tree says of itself, and the words the gate knows."""

    def lexicon(self) -> Lexicon:
        """Technologies, areas, questions and words: ours, with what the project adds."""

    def facts(self) -> Facts:
        """Manifests, lock files, CI, folders: no ignored files. The architecture and memories are for others to add."""


class Model(Protocol):
    """A language model that is asked for a proposal."""

    provider: str

    def propose(self, question: Json) -> Json:
        """Its structured reply, or `Unavailable` after the retries."""
