"""A repository for one run of a demo, of which nothing is left behind, and which knows nothing of its user."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time

from deedlog.core.errors import Invalid, Part, Unavailable
from deedlog.faces.cli.refusal import tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST_COMMIT = 1_768_471_200  # 2026-01-15 10:00 UTC: the same hashes in every run
MINUTE = 60
TRIES, PAUSE = 200, 0.05
FOREIGN = ("DEEDLOG_", "GIT_", "XDG_")
ALONE = {
    "HOME": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
SETTINGS = ("core.hooksPath=" + os.devnull, "commit.gpgSign=false", "gc.auto=0", "diff.renames=false")


class Scratch:
    """Use it as a context: what it made is gone at the end, unless it is to `keep`."""

    def __init__(self, folder: str = "", *, keep: bool = False, name: str = "") -> None:
        if not shutil.which("git"):
            raise Unavailable("there is no git on this machine", hint="install git", part=Part.GIT)
        self._asked = folder
        self._name = name
        self._keep = keep
        self._commits = 0
        self.folder = ""

    @property
    def store(self) -> str:
        return os.path.join(self.folder, ".git", "deedlog")

    def __enter__(self) -> Scratch:
        self._was_there = os.path.isdir(self._asked)
        self._top = os.path.realpath(_made(self._asked) if self._asked else tempfile.mkdtemp(prefix="deedlog-demo-"))
        self.folder = os.path.join(self._top, self._name) if self._name and not self._asked else self._top
        os.makedirs(self.folder, exist_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        if not self._keep:
            _remove(self._top, itself=not self._was_there)

    def environment(self, user: Mapping[str, str]) -> dict[str, str]:
        """The user's variables without those that could lead out of here."""
        kept = {name: value for name, value in user.items() if not name.startswith(FOREIGN)}
        return {**kept, **ALONE}

    def git(self, *words: str, author: str = "Agent", at: int = 0) -> bytes:
        """Run git; what it commits has the moment `at`, or one that is the same in every run."""
        settings = [text for setting in SETTINGS for text in ("-c", setting)]
        moment = f"{at or FIRST_COMMIT + self._commits * MINUTE} +0000"
        email = f"{author.lower()}@example.invalid"
        identity = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", author), ("EMAIL", email), ("DATE", moment))
        }
        done = subprocess.run(  # noqa: S603  # a list of arguments, never a shell
            ["git", "-C", self.folder, *settings, *words],  # noqa: S607  # the user's own git
            env={**self.environment(os.environ), **identity},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise Unavailable(
                f"git {words[0]} failed in the scratch repository (exit code {done.returncode})",
                hint="look at `git --version`: 2.38 or newer is needed",
                part=Part.GIT,
            )
        return done.stdout

    def commit(self, *paths: str, message: str, author: str = "Agent", at: int = 0) -> None:
        """Commit some paths; everything there is when none is named."""
        self.git("add", "--all", "--", *(paths or (".",)))
        self.git("commit", "--quiet", f"--message={message}", author=author, at=at)
        self._commits += 1

    def write(self, path: str, text: str) -> None:
        place = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path: str) -> str:
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            return file.read()

    def remove(self, path: str) -> None:
        os.unlink(os.path.join(self.folder, path))

    def move(self, old: str, new: str) -> None:
        place = os.path.join(self.folder, new)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.rename(os.path.join(self.folder, old), place)


def _made(folder: str) -> str:
    try:
        os.makedirs(folder, exist_ok=True)
        found = os.listdir(folder)
    except OSError as error:
        raise Invalid(f"--folder: {folder} cannot be used: {error.strerror}", hint="name another one") from error
    if found:
        raise Invalid(f"--folder: {folder} is not empty", hint="name an empty folder, or one that does not exist yet")
    return folder


def _remove(folder: str, *, itself: bool) -> None:
    """Remove a folder, or all that is in it; git may still be writing there for a moment."""
    for _ in range(TRIES):
        for name in os.listdir(folder):
            place = os.path.join(folder, name)
            if os.path.isdir(place) and not os.path.islink(place):
                shutil.rmtree(place, ignore_errors=True)
            else:
                os.unlink(place)
        if not os.listdir(folder):
            break
        time.sleep(PAUSE)
    else:
        tell(f"warning: {folder} could not be removed")
        return
    if itself:
        os.rmdir(folder)
