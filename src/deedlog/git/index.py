"""A private copy of the user's index: git's memory of what files looked like, without touching theirs.

It may be older than theirs: what is asked is always how the work tree differs from HEAD, and the
index only saves reading files again. It is copied anew when it would save little, or would mislead.
"""

from __future__ import annotations

import fcntl
import marshal
import os
import re
import shutil
import subprocess
import time

from deedlog.core.errors import Part, Unavailable
from deedlog.git.repository import config_stamp, stamp
from deedlog.git.status import COMMAND
from deedlog.keeping import remove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.git.command import Git
    from deedlog.git.reflog import Reflog
    from deedlog.git.repository import Repository
    from deedlog.keeping import TreeFolder

MANY = 64  # files that were committed since the copy
CHUNK = 1024 * 1024
LONGEST_REFRESH = 30
PAUSE = 0.01
SOME = 20  # files more or less that differ from it than when it was refreshed
FLAGGED = re.compile(rb"\0([a-zS]) ([^\0]+)")


class PrivateIndex:
    """The copy for one work tree, in a folder of ours. Its users hold the folder's lock."""

    def __init__(self, repository: Repository, folder: TreeFolder, git: Git) -> None:
        self._repository = repository
        self._folder = folder
        self._git = git.replace(index=self.path)
        self._refresh_due = False

    @property
    def path(self) -> str:
        return self._folder.path("index")

    def prepare(self, reflog: Reflog) -> list[str]:
        """Make the copy usable; returns the paths that git would not look at."""
        known = self._load()
        looks = [stamp(self._repository.places["info/sparse-checkout"]), config_stamp(self._repository)]
        if known is None or known["looks"] != looks or self._is_far(known, reflog):
            known = self._copy(looks, reflog)
        self._refresh_due |= known["head"] != reflog.head or known.get("refresh", False)
        skipped: list[str] = known["skipped"]
        return skipped

    def is_behind(self) -> bool:
        """Whether the user's index was written since it was copied."""
        known = self._load()
        return known is None or known.get("theirs") != stamp(self._repository.places["index"])

    def remembered(self, head: str, ask: Callable[[], bytes]) -> bytes:
        """What the user's index and HEAD tell together, asked anew when one of them changed."""
        known = self._load() or {}
        now = stamp(self._repository.places["index"])
        then, its_head, told = known.get("told", (None, "", b""))
        if known and (then, its_head) == (now, head):
            return bytes(told)
        found = ask()
        if known:
            self._folder.put("index.known", marshal.dumps({**known, "told": (now, head, found)}))
        return found

    def drop(self) -> None:
        """Let the next look begin with a new copy."""
        remove(self._folder.path("index.known"))

    def _load(self) -> dict[str, Any] | None:
        try:
            with open(self._folder.path("index.known"), "rb") as file:
                found: dict[str, Any] = marshal.load(file)  # noqa: S302  # a file of ours
        except (OSError, EOFError, ValueError, TypeError):
            return None
        return found if found.get("here") == self._repository.git_dir else None

    def _is_far(self, known: dict[str, Any], reflog: Reflog) -> bool:
        """Whether so much was checked out or committed since that most files would have to be read again."""
        if not known["head"] or known["head"] == reflog.head:
            return bool(known["head"] != reflog.head)
        moves = reflog.since(known["reflog"])
        if moves is None or not all(move.is_commit or move.old == move.new for move in moves):
            return True
        changed = self._git.run("diff-tree", "-r", "-z", "--name-only", known["head"], reflog.head, fine=(0, 128))
        return not changed or changed.count(b"\0") > MANY

    def _copy(self, looks: list[Any], reflog: Reflog) -> dict[str, Any]:
        with self._refreshing(wait=True):  # a late refresh must not bring the old copy back
            theirs = stamp(self._repository.places["index"])
            self._copy_file()
            known = {
                "theirs": theirs,
                "here": self._repository.git_dir,
                "looks": looks,
                "head": reflog.head,
                "reflog": reflog.position,
                "skipped": self._unflag(),
                "refresh": True,
            }
            self._folder.put("index.known", marshal.dumps(known))
        return known

    def _copy_file(self) -> None:
        try:
            source = open(self._repository.places["index"], "rb")  # noqa: SIM115
        except FileNotFoundError:
            if os.path.exists(self.path):
                os.unlink(self.path)
            return
        with source:
            status = os.fstat(source.fileno())
            with open(f"{self.path}.new", "wb") as copy:
                shutil.copyfileobj(source, copy, CHUNK)
        # git reads files again that changed in the second its index was written: it must not seem younger
        os.utime(f"{self.path}.new", ns=(status.st_atime_ns, status.st_mtime_ns))
        os.replace(f"{self.path}.new", self.path)

    def _unflag(self) -> list[str]:
        """Let git look at files it was told not to; returns those that are not there to be looked at."""
        listed = b"\0" + self._git.run("ls-files", "-v", "-z")
        if listed.count(b"\0H ") == listed.count(b"\0") - 1:
            return []  # as almost always
        flagged = [(tag, name) for tag, name in FLAGGED.findall(listed)]
        assumed = [name for tag, name in flagged if tag.islower()]
        skipped = [] if self._repository.is_sparse else [name for tag, name in flagged if tag in b"Ss"]
        absent = [name for name in skipped if not os.path.lexists(os.path.join(os.fsencode(self._git.tree), name))]
        present = set(skipped).difference(absent)
        for flag, names in (("--no-assume-unchanged", assumed), ("--no-skip-worktree", present)):
            if names:
                self._git.run("update-index", flag, "-z", "--stdin", stdin=b"\0".join(names) + b"\0")
        return [os.fsdecode(name) for name in absent]

    def refresh(self, differing: int) -> None:
        """Let git bring the copy up to date beside us, where the next look would gain from it."""
        known = self._load()
        if known is None or not (self._refresh_due or abs(known.get("differing", 0) - differing) > SOME):
            return
        lock = self._refreshing(wait=False)
        if lock is None:
            return
        with lock:
            remove(self.path + ".lock")  # whoever made it held our lock, and died
            # not in submodules: git would refresh their own
            command = self._git.command((*COMMAND[:-1], "--ignore-submodules=all"), {})
            environment = {**self._git.environment(), "GIT_OPTIONAL_LOCKS": "1"}
            descriptor = lock.fileno()
            STARTED[:] = [process for process in STARTED if process.poll() is None]
            STARTED.append(
                subprocess.Popen(  # noqa: S603  # a list of arguments, never a shell
                    command,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=(descriptor,),  # the lock is held until git is done
                    start_new_session=True,
                )
            )
        self._refresh_due = False
        self._folder.put("index.known", marshal.dumps({**known, "refresh": False, "differing": differing}))

    def _refreshing(self, *, wait: bool) -> Any:
        file = open(self._folder.path("refresh.lock"), "ab")  # noqa: SIM115
        end = time.monotonic() + (LONGEST_REFRESH if wait else 0)
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= end:
                    file.close()
                    break
                time.sleep(PAUSE)
            else:
                return file
        if wait:
            raise Unavailable(
                f"a `git status` of ours has hung in {self._git.tree} for more than {LONGEST_REFRESH} s",
                hint="see what keeps git there, end it, then repeat the call",
                part=Part.GIT,
            )
        return None


STARTED: list[subprocess.Popen[bytes]] = []
