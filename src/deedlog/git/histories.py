"""Commits computed beside every work tree: merged, compared, written, without checking anything out.

git finds the attributes of the target in a folder of ours that it takes for its work tree, so that merge drivers of the
user's run there and nowhere else.
"""

from __future__ import annotations

import os

from deedlog.core.errors import Conflict, Part, Unavailable
from deedlog.core.value import Value
from deedlog.git.acting import ActingGit, with_identity
from deedlog.git.command import Git, GitFailed
from deedlog.git.intents import remove_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.git.intents import TreesFolder

UNKNOWN_OPTION, NO_COMMON_HISTORY = 129, 128
ATTRIBUTES, FILE = ".gitattributes", b"100644"
ON_DISK = {"core.fsync": "all", "core.fsyncMethod": "batch"}
UNSAFE = {"", ".", "..", ".git"}
HEADER_END = b"\n\n"


class Tree(Value):
    """What came of a merge: a tree, and the paths that are in conflict in it."""

    oid: str
    conflicts: list[str]


class Commit(Value):
    oid: str
    tree: str
    parents: list[str]
    author: bytes
    encoding: bytes
    message: bytes


class SigningGit(ActingGit):
    """Writes commits of one author."""

    author: bytes = b""

    def environment(self) -> dict[str, str]:
        name, _, rest = self.author.partition(b" <")
        email, _, date = rest.partition(b"> ")
        names = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE")
        return super().environment() | dict(zip(names, map(os.fsdecode, (name, email, date)), strict=True))


class Histories:
    """Used as a context: it computes in a folder of its own."""

    def __init__(self, trees: TreesFolder, common: str) -> None:
        self.common = common
        self._trees = trees
        self.git = Git(tree=common)
        self.signs = False
        self._committer = b""

    def durable(self) -> Histories:
        """Let what is written be on disk before anything is removed because of it."""
        self.git = self.git.replace(settings=ON_DISK)
        return self

    def __enter__(self) -> Histories:
        self.scratch = self._trees.scratch()
        empty = os.path.join(self.scratch, "tree")
        os.mkdir(empty)
        index = os.path.join(self.scratch, "index")
        self.merging = ActingGit(tree=empty, git_dir=self.common, index=index)
        return self

    def __exit__(self, *_: object) -> None:
        remove_tree(self.scratch)

    @property
    def committer(self) -> bytes:
        """Who commits, and when: the same for all that is written together."""
        if not self._committer:
            git = with_identity(ActingGit(tree=self.common))
            self._committer = git.run("var", "GIT_COMMITTER_IDENT").removesuffix(b"\n")
        return self._committer

    def attributes_of(self, commit: str) -> None:
        """Let the attributes of a commit hold from now on: git reads them from its work tree."""
        for row in self.git.run("ls-tree", "-r", "-z", commit).split(b"\0"):
            facts, _, name = row.partition(b"\t")
            parts = os.fsdecode(name).split("/")
            if parts[-1] == ATTRIBUTES and facts.startswith(FILE) and UNSAFE.isdisjoint(parts):
                place = os.path.join(self.merging.tree, *parts)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(self.git.run("cat-file", "blob", facts.split(b" ")[2].decode()))

    def merged(self, ours: str, theirs: str) -> Tree:
        """What merging two commits makes; the paths that cannot be merged are named."""
        words = ("merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs)
        try:
            _, out = self.merging.ask(*words, fine=(0, 1))
        except GitFailed as error:
            if error.code == UNKNOWN_OPTION:
                raise _too_old(self.git) from error
            if error.code == NO_COMMON_HISTORY and not self.merge_base(ours, theirs):
                raise Conflict(
                    "the two branches have no commit in common", hint="merge them by hand", part=Part.GIT
                ) from error
            raise
        tree, *names = out.split(b"\0")
        return Tree(oid=tree.decode(), conflicts=[os.fsdecode(name) for name in dict.fromkeys(names) if name])

    def replayed(self, base: str, ours: str, theirs: str) -> Tree:
        """What the difference from tree `base` to tree `theirs` makes of tree `ours`.

        Through commits that nobody will see, because git takes a base only from 2.40 on.
        """
        root = self.written(base, [], b"base")
        return self.merged(self.written(ours, [root], b"ours"), self.written(theirs, [root], b"theirs"))

    def written(
        self, tree: str, parents: Sequence[str], message: bytes, author: bytes = b"", encoding: bytes = b""
    ) -> str:
        committer = self.committer
        if self.signs:
            return self._signed(tree, parents, message, author or committer, encoding)
        lines = [b"tree " + tree.encode(), *(b"parent " + parent.encode() for parent in parents)]
        lines += [b"author " + (author or committer), b"committer " + committer]
        lines += [b"encoding " + encoding] if encoding else []
        text = b"\n".join(lines) + HEADER_END + message.rstrip(b"\n") + b"\n"
        return self.git.run("hash-object", "-t", "commit", "-w", "--stdin", stdin=text).decode().strip()

    def _signed(self, tree: str, parents: Sequence[str], message: bytes, author: bytes, encoding: bytes) -> str:
        """As git is configured to sign; it may ask for a passphrase."""
        settings = {"i18n.commitEncoding": os.fsdecode(encoding)} if encoding else {}
        git = SigningGit(tree=self.common, settings=settings, author=author)
        words = [word for parent in parents for word in ("-p", parent)]
        try:
            return with_identity(git).run("commit-tree", "-S", *words, "-F", "-", tree, stdin=message).decode().strip()
        except GitFailed as error:
            raise Unavailable(
                "git could not sign the merge",
                hint="repair the signing key of git, or switch the setting merge_signing off",
                part=Part.GIT,
                data={"said": error.said.decode("utf-8", "replace")},
            ) from error

    def read(self, commit: str) -> Commit:
        head, _, message = self.git.run("cat-file", "commit", commit).partition(HEADER_END)
        found: dict[bytes, list[bytes]] = {}
        for line in head.split(b"\n"):
            name, _, value = line.partition(b" ")
            found.setdefault(name, []).append(value)
        return Commit(
            oid=commit,
            tree=found[b"tree"][0].decode(),
            parents=[parent.decode() for parent in found.get(b"parent", [])],
            author=found[b"author"][0],
            encoding=found.get(b"encoding", [b""])[0],
            message=message,
        )

    def tree_of(self, commit: str) -> str:
        return self.git.run("rev-parse", "--verify", f"{commit}^{{tree}}").decode().strip()

    def commits(self, *reach: str) -> list[str]:
        """Oldest first."""
        return self.git.run("rev-list", "--reverse", "--topo-order", *reach).decode().split()

    def is_ancestor(self, old: str, new: str) -> bool:
        return self.git.ask("merge-base", "--is-ancestor", old, new, fine=(0, 1, 128))[0] == 0

    def merge_base(self, one: str, other: str) -> str:
        return self.git.run("merge-base", one, other, fine=(0, 1)).decode().strip()


def _too_old(git: Git) -> Unavailable:
    version = git.run("version").decode("ascii", "replace").strip().removeprefix("git version ")
    shown = "".join(char for char in version[:20] if char.isalnum() or char in ".-")
    return Unavailable(
        f"merging needs git 2.38 or newer; here is {shown}",
        hint="install a newer git, or merge the branch by hand: that is recognised",
        part=Part.GIT,
    )
