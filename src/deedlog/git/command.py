"""Running git so that nothing of the user's is touched and nothing of theirs changes what it says."""

from __future__ import annotations

import os
import re
import subprocess
import time

from deedlog.core.errors import Part, Unavailable
from deedlog.core.value import Value
from deedlog.git.session_tree import git_dir_of_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Whoever starts us from a hook or an alias leaves variables behind that point elsewhere; these say where the
# user's own configuration is.
KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # nor do those fetch that do not know the variable above
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
}
SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",  # what a daemon did not notice would be missing, and git would start one
    "core.trustctime": "true",
    "core.checkStat": "default",
    "core.splitIndex": "false",
    "core.safecrlf": "false",
    "core.quotePath": "true",
    "core.untrackedCache": "true",
    "index.sparse": "false",
    "core.commitGraph": "true",
    "status.showUntrackedFiles": "all",
    "submodule.recurse": "false",
    "color.ui": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
COMPARING, WHOLE = ("diff", "diff-index", "diff-tree", "log"), "--ignore-submodules=none"
UNSAFE = re.compile(rb"[^ !#-\[\]-~]")
FOREIGN_OWNER = b"dubious ownership"
# git dies of a work tree that another git is making or removing: it has read half of what is kept of it, or the
# folder it was about to use went away with the last one
HALF_MADE = re.compile(
    rb"^fatal: (failed to read|Invalid path) '?[^\n]*worktrees/"
    rb"|^fatal: could not create directory of '[^\n]*worktrees/[^\n]*: No such file or directory",
    re.MULTILINE,
)
TRIES, PAUSE = 50, 0.05


class GitFailed(Unavailable):
    """git said no. What it said is kept for whoever can do something about it."""

    def __init__(self, tree: str, command: str, code: int, said: bytes) -> None:
        super().__init__(
            f"git {command} failed in {tree} (exit code {code})",
            hint="run `git status` there to see what git says",
            part=Part.GIT,
        )
        self.code = code
        self.said = said


def not_understood(tree: str, command: str) -> Unavailable:
    """The refusal for an answer no git gives."""
    return Unavailable(
        f"git {command} gave an answer in {tree} that makes no sense",
        hint="check that `git` is the real one: run `git --version`",
        part=Part.GIT,
    )


def _gone(tree: str) -> Unavailable:
    return Unavailable(f"the work tree {tree} is not there any more", hint="bring it back", part=Part.GIT)


def exact(arguments: Sequence[str]) -> list[str]:
    """The words of a command, so that it compares submodules too: `.gitmodules`, which anyone writes, can hide them."""
    name, *rest = arguments
    return [name, *([WHOLE] if name in COMPARING else []), *rest]


class GitMissing(Unavailable):
    """There is no git on this machine."""


class Git(Value):
    """git in one work tree. `index` and `objects` are ours; `others` are where the user's objects are.

    `literal` takes paths as they are; the few commands that refuse that need them to start with `./`. With `git_dir`
    it works on that repository from another folder, as if that were its work tree.
    """

    tree: str
    git_dir: str = ""
    index: str = ""
    objects: str = ""
    others: tuple[str, ...] = ()
    literal: bool = True
    settings: dict[str, str] = {}  # noqa: RUF012  # values are never changed in place

    def run(self, *arguments: str, stdin: bytes = b"", fine: Sequence[int] = (0,)) -> bytes:
        return self.ask(*arguments, stdin=stdin, fine=fine)[1]

    def ask(self, *arguments: str, stdin: bytes = b"", fine: Sequence[int] = (0,)) -> tuple[int, bytes]:
        """Run git; returns its exit code and what it printed."""
        more: dict[str, str] = {}
        done = self._spawn(arguments, stdin, more)
        if done.returncode not in fine and FOREIGN_OWNER in done.stderr:
            # whoever runs us in this tree has been asked about its owner already (project.refuse_foreign_folder)
            more = {"safe.directory": "*"}
            done = self._spawn(arguments, stdin, more)
        for _ in range(TRIES):
            if done.returncode in fine or not HALF_MADE.search(done.stderr):
                break
            time.sleep(PAUSE)
            done = self._spawn(arguments, stdin, more)
        if done.returncode not in fine:
            if not os.path.isdir(self.tree):
                raise _gone(self.tree)
            raise GitFailed(self.tree, arguments[0], done.returncode, done.stderr)
        return done.returncode, done.stdout

    def _spawn(
        self, arguments: Sequence[str], stdin: bytes, more: dict[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(  # noqa: S603  # a list of arguments, never a shell
                self.command(arguments, more), input=stdin, capture_output=True, env=self.environment(), check=False
            )
        except FileNotFoundError as error:
            if not os.path.isdir(self.tree):
                raise _gone(self.tree) from error
            raise GitMissing("there is no git on this machine", hint="install git", part=Part.GIT) from error

    def command(self, arguments: Sequence[str], more: dict[str, str]) -> list[str]:
        return ["git", "-C", self.tree, *options({**SETTINGS, **self.settings, **more}), *exact(arguments)]

    def environment(self) -> dict[str, str]:
        found = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k in KEPT}
        # a tree whose .git has gone must not be taken for a part of the repository around it
        found |= {**QUIET, **unwritable(self.settings), "GIT_CEILING_DIRECTORIES": os.path.dirname(self.tree)}
        if not self.literal:
            del found["GIT_LITERAL_PATHSPECS"]
        found |= self.place()
        if self.index:
            found["GIT_INDEX_FILE"] = self.index
        if self.objects:
            found["GIT_OBJECT_DIRECTORY"] = self.objects
            found["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = os.pathsep.join(listed(path) for path in self.others)
        return found

    def place(self) -> dict[str, str]:
        """Where the repository is; git looks for it itself only where no worker could have replaced it."""
        git_dir = self.git_dir or git_dir_of_session(self.tree)
        return {"GIT_DIR": git_dir, "GIT_WORK_TREE": self.tree} if git_dir else {}


def options(settings: dict[str, str]) -> list[str]:
    return [text for name, value in settings.items() if "=" not in name for text in ("-c", f"{name}={value}")]


def unwritable(settings: dict[str, str]) -> dict[str, str]:
    """Variables for the settings whose names git would cut off at their first `=` among its options."""
    pairs = [(name, value) for name, value in settings.items() if "=" in name]
    found = {"GIT_CONFIG_COUNT": str(len(pairs))} if pairs else {}
    for place, (name, value) in enumerate(pairs):
        found |= {f"GIT_CONFIG_KEY_{place}": name, f"GIT_CONFIG_VALUE_{place}": value}
    return found


def listed(path: str) -> str:
    """A path as git reads it in a list of paths."""
    if os.pathsep not in path and not path.startswith('"'):
        return path
    return os.fsdecode(quoted(os.fsencode(path)))


def quoted(path: bytes) -> bytes:
    """A path in git's own quotes."""
    return b'"' + UNSAFE.sub(lambda found: b"\\%03o" % found[0][0], path) + b'"'


def unquoted(name: bytes) -> bytes:
    """A path out of git's quotes, if it is in any."""
    if not name.startswith(b'"'):
        return name
    import codecs  # paths with control characters are rare

    found: bytes = codecs.escape_decode(name[1:-1])[0]
    return found
