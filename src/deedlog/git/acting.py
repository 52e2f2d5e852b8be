"""git that changes something of the user's: with their settings and filters, without their hooks.

Hooks may ask somebody, or hang, and nobody is there; what must hold before a merge are the project's checks.
"""

from __future__ import annotations

import os
import subprocess

from deedlog.git.command import KEPT, Git, exact, options, unwritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",  # a program, and whoever works in a tree may have named it
    "core.quotePath": "true",
    "advice.detachedHead": "false",
    "submodule.recurse": "false",
    "color.ui": "false",
    "commit.gpgSign": "false",  # it may ask for a passphrase
    "i18n.commitEncoding": "UTF-8",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
NOBODY = "Deedlog", "deedlog@localhost"


class ActingGit(Git):
    """What a partial clone lacks may be fetched: a work tree needs its files.

    A `whole` one is let finish what it began, whatever happens to us: it writes to a tree of the user's. It keeps the
    files open that it is `holding` for us.
    """

    whole: bool = False
    holding: tuple[int, ...] = ()

    def _spawn(
        self, arguments: Sequence[str], stdin: bytes, more: dict[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        if not self.whole:
            return super()._spawn(arguments, stdin, more)
        command = self.command(arguments, more)
        process = subprocess.Popen(  # noqa: S603  # a list of arguments, never a shell
            command,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # out of reach of what the terminal sends
            pass_fds=self.holding,
        )
        try:
            out, _ = process.communicate()
        except KeyboardInterrupt:
            process.communicate()
            raise
        return subprocess.CompletedProcess(command, process.returncode, out, out)

    def command(self, arguments: Sequence[str], more: dict[str, str]) -> list[str]:
        return ["git", "-C", self.tree, *options({**SETTINGS, **self.settings, **more}), *exact(arguments)]

    def environment(self) -> dict[str, str]:
        found = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k in KEPT}
        found |= {
            **unwritable(self.settings),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",  # else a ref of somebody's decides what a commit holds
            "GIT_EDITOR": "true",
            "LC_ALL": "C",
            "GIT_CEILING_DIRECTORIES": os.path.dirname(self.tree),
        }
        if self.literal:
            found["GIT_LITERAL_PATHSPECS"] = "1"
        found |= self.place()
        if self.index:
            found["GIT_INDEX_FILE"] = self.index
        return found


def with_identity(git: Git) -> Git:
    """Who commits: as git is configured, or as the environment says; Deedlog itself where nobody is named."""
    name = _configured(git, "user.name") or _variable("GIT_COMMITTER_NAME", "GIT_AUTHOR_NAME")
    email = _configured(git, "user.email") or _variable("GIT_COMMITTER_EMAIL", "GIT_AUTHOR_EMAIL", "EMAIL")
    settings = {"user.name": name or NOBODY[0], "user.email": email or NOBODY[1]}
    return git.replace(settings={**git.settings, **settings})


def _configured(git: Git, name: str) -> str:
    return git.run("config", "--get", name, fine=(0, 1)).decode("utf-8", "surrogateescape").strip()


def _variable(*names: str) -> str:
    return next((os.environ[name] for name in names if os.environ.get(name)), "")
