"""Ids of files that git stores differently from how they are on disk: line ends, filters, encodings."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from deedlog.git.command import GitFailed, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from deedlog.git.command import Git
    from deedlog.git.repository import Repository

MOST_ARGUMENTS = 500
FILTERS = ("filter", "ident", "working-tree-encoding")
NOT_SET = (b"unspecified", b"unset")
HAS_CRLF = (b"i/crlf", b"i/mixed")
DECIDED_BY_GIT = (b"attr/", b"attr/text=auto")
FILTER_FAILED = re.compile(
    rb": clean filter '.*' failed$"
    # a filter that was to keep running; git talks to nobody else here
    rb"|^fatal: the remote end hung up unexpectedly$"
    rb"|^fatal: .*\bpacket write\b.* failed|^fatal: unable to write \w+ packet",
    re.MULTILINE,
)
FILTERS_OFF = "a content filter that this repository needs does not run here: contents are compared as they are on disk"
NOT_CONVERTED = "git could not convert some files: they are compared as they are on disk"


class Converted(NamedTuple):
    """Ids by path. They are not `sure` where what the user configured could not be done."""

    oids: dict[str, str]
    sure: bool


def is_of_filter(error: GitFailed) -> bool:
    """Whether git gave up because a filter it must use does not run."""
    return bool(FILTER_FAILED.search(error.said))


def without_filters(git: Git, repository: Repository) -> Git:
    off = {"clean": "", "process": "", "required": "false"}
    settings = {f"filter.{name}.{key}": value for name in repository.filters for key, value in off.items()}
    return git.replace(settings={**git.settings, **settings})


class Converter:
    """Asks git. Without `filtering` it leaves out the user's filters, as it does once one has failed."""

    def __init__(self, repository: Repository, git: Git, *, filtering: bool) -> None:
        self._repository = repository
        self._git = git
        self.filtering = filtering
        self.warnings: list[str] = []

    def filtered(self, paths: Collection[str]) -> set[str]:
        """Those that more happens to than that their line ends are evened out."""
        asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
        told = self._git.run("check-attr", "-z", "--stdin", *FILTERS, stdin=asked).split(b"\0")
        triples = zip(told[::3], told[1::3], told[2::3], strict=False)
        return {os.fsdecode(path) for path, _, value in triples if value not in NOT_SET}

    def with_line_ends_kept(self, paths: Sequence[str]) -> set[str]:
        """Those whose line ends git leaves alone, because it has them with CRLF already and was not told to even them.

        `git add` looks at the index for that, `hash-object` does not.
        """
        theirs = self._git.replace(index=self._repository.places["index"])
        found = set()
        for place in range(0, len(paths), MOST_ARGUMENTS):
            some = paths[place : place + MOST_ARGUMENTS]
            for line in theirs.run("ls-files", "--eol", "-z", "--", *some).split(b"\0")[:-1]:
                facts, _, name = line.partition(b"\t")
                stored, _, attributes = facts.split(None, 2)
                if stored in HAS_CRLF and attributes.split()[0] in DECIDED_BY_GIT:
                    found.add(os.fsdecode(name))
        return found

    def with_line_ends(self, paths: Sequence[str]) -> Converted:
        """The ids of files without filters; nothing is stored."""
        try:
            return Converted(self._hashed(self._git, paths), sure=True)
        except GitFailed:  # one of them went away, for example
            return self._given_up()

    def with_filters(self, paths: Sequence[str], *, keep: bool) -> Converted:
        """The ids of filtered files; what the filters made of them is stored with us where it is to be kept.

        Without its filter nothing is: that may be there to encrypt it.
        """
        if not self.filtering:
            return self._without_filters(paths)
        try:
            return Converted(self._hashed(self._git, paths, keep=keep), sure=True)
        except GitFailed as error:
            if is_of_filter(error):
                self.filtering = False
                self.warnings.append(FILTERS_OFF)
                return self._without_filters(paths)
        # an encoding that is not the one promised is an error only where the content is to be stored
        return self.with_filters(paths, keep=False) if keep else self._given_up()

    def _without_filters(self, paths: Sequence[str]) -> Converted:
        try:
            return Converted(self._hashed(without_filters(self._git, self._repository), paths), sure=False)
        except GitFailed:
            return self._given_up()

    def _given_up(self) -> Converted:
        self.warnings.append(NOT_CONVERTED)
        return Converted({}, sure=False)

    def _hashed(self, git: Git, paths: Sequence[str], *, keep: bool = False) -> dict[str, str]:
        if not paths:
            return {}
        names = b"".join(quoted(os.fsencode(path)) + b"\n" for path in paths)
        words = ("hash-object", *(("-w",) if keep else ()), "--stdin-paths")
        # without the user's objects: git would mark those it meets as being in use
        oids = git.replace(others=()).run(*words, stdin=names).decode().split()
        return dict(zip(paths, oids, strict=True))
