"""What an operation may ask of files: states of work trees, trees for workers, records, what a repository says."""

from __future__ import annotations

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
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


class Lent(Value):
    """A private repository for the worker in a session's tree: its `folder`, which alone is the worker's to write.

    The file `pointer` holds what `.git` in the tree must say for the worker. `common` is the user's repository.
    """

    folder: str
    pointer: str
    common: str


class TreeState(Value):
    """What a session's work tree holds that is nowhere else: changed paths, and commits since its base."""

    there: bool
    dirty: list[str] = []  # noqa: RUF012
    commits: int = 0


class Proposal(Value):
    """The commit that `target` would become, computed and not yet moved to.

    `onto` is the commit the target is at now, `tip` the last commit of the work. `commit` equals `onto` where there is
    nothing to bring. `conflicts` are the paths that cannot be merged.
    """

    target: str
    onto: str
    tip: str
    commit: str
    how: str
    conflicts: list[str] = []  # noqa: RUF012  # values are never changed in place


class Merging(Protocol):
    """One merge. Nobody else merges in this repository while it lasts."""

    def propose(self, tip: str, base: str, target: str, how: str, message: str, *, sign: bool = False) -> Proposal:
        """Compute the result of bringing the commits from `base` to `tip` into `target`. Nothing moves."""

    def difference(self, old: str, new: str) -> Comparison:
        """The full difference between two commits, read from git's objects alone."""

    def checkout(self, commit: str) -> str:
        """Check a commit out into a fresh folder with a private repository; it goes when the merge is over."""

    def staging(self, commit: str, message: str) -> str:
        """Set HEAD of the checkout to `commit`, so that the rest looks staged; the file that holds the message."""

    def stash(self, key: str, commit: str) -> None:
        """Set aside what was made in the checkout beside the commit's files, until `keep` or the end of the merge."""

    def unstash(self, key: str, commit: str) -> bool:
        """Copy what an earlier merge kept under that key into the checkout; False where there is nothing.

        Files of the commit stay as they are.
        """

    def has_hook(self, name: str) -> bool:
        """Whether there is a hook of that name for the checkout."""

    def keep(self) -> None:
        """Keep what was stashed, for later merges."""

    def move(self, proposal: Proposal) -> bool:
        """Move the target from exactly `onto` to `commit`; False if it is not at `onto` any more."""

    def objects(self, commit: str, paths: Sequence[str]) -> list[str]:
        """The objects of those of the paths that a commit has."""

    def holds(self, target: str, commit: str) -> bool:
        """Whether a branch has a commit in its history."""


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

    def lend(self, path: str) -> Lent:
        """Give the worker in a work tree a repository that borrows from the user's and is all it can change."""

    def take_back(self, path: str) -> list[str]:
        """Bring what a worker committed into the user's repository, once it has ended; what a person should know.

        Only the session's own branch moves. A tree that was not lent, or is gone, is no mistake.
        """

    def fingerprint(self) -> dict[str, str]:
        """Refs, settings, hooks, attributes, reflogs and objects of the repository, each with what it is now."""

    def changed_since(self, before: dict[str, str], since: int, merged: set[tuple[str, str]]) -> list[dict[str, str]]:
        """What differs from an earlier fingerprint, made at `since`: `what`, `before` and `after`.

        `merged` are refs with the commits that Deedlog moved them to: a move forward to one of these is no difference.
        """

    def state(self, path: str, base: str) -> TreeState: ...
    def commit(self, path: str, message: str) -> str:
        """Commit everything that differs in a work tree, whatever its index says; the hash of its head afterwards."""

    def apply(self, path: str, patch: bytes, leave_out: Sequence[str] = ()) -> bool:
        """Change the files of a work tree by a patch, but those to be left out: all of it, or nothing and False."""

    def tip(self, branch: str) -> str:
        """The commit a branch is at; empty where there is none."""

    def changed(self, old: str, new: str) -> list[str]:
        """The paths that differ between two commits."""

    def merged(self, branch: str, base: str, target: str, tip: str = "") -> str:
        """How the commits of a branch came into the target: merge, rebase, squash; empty where they did not.

        A branch that is gone was at `tip`.
        """

    def merging(self, waiting: Callable[[], None]) -> AbstractContextManager[Merging]:
        """Begin a merge, once no other one is under way. `waiting` is called meanwhile and may refuse to go on."""

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
