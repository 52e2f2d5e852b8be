"""Where a worker, or a check, runs: what must stay as it is, and what must not be seen."""

from __future__ import annotations

import os

from deedlog.core.value import Value
from deedlog.workers import hidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


CODEX = "codex"
HIDDEN = "hidden-from-workers"


class Place(Value):
    """`root` is the user's main work tree, `store` Deedlog's. `scratch` is a folder for temporary files.

    `private` is the repository of the worker, `pointer` the file whose content is its `.git`, `common` the user's
    repository; all empty where there is none. `command` is what runs, `socket` the folder of the socket to report by.
    """

    store: str
    root: str
    tree: str
    scratch: str = ""
    private: str = ""
    pointer: str = ""
    common: str = ""
    client: str = ""
    command: Sequence[str] = ()
    socket: str = ""

    def protected(self) -> list[str]:
        """What cannot be written, wherever it lies."""
        paths = (self.root, self.common or os.path.join(self.root, ".git"), self.store)
        return [os.path.realpath(path) for path in paths if path and os.path.exists(path)]

    def hidden(self, environment: Mapping[str, str]) -> list[str]:
        connected = [os.path.join(self.root, name) for name in hidden.CONNECTED]
        codex = self.codex(environment)
        told = [codex] if codex and self.client != CODEX else []
        return hidden.hidden(self.client, environment, [self.store, *connected, *told])

    def codex(self, environment: Mapping[str, str]) -> str:
        """The file of Codex, if `deedlog init --http` wrote the token into it; it is the user's, for all projects."""
        folder = environment.get("CODEX_HOME") or os.path.join(environment.get("HOME", os.sep), ".codex")
        path = os.path.realpath(os.path.join(folder, "config.toml"))
        token = self._token(environment)
        return path if token and token in _text(path) else ""

    def without_token(self, environment: Mapping[str, str]) -> str:
        """A copy of that file that a worker of Codex can read in its place."""
        text = _text(self.codex(environment)).replace(self._token(environment), HIDDEN)
        os.makedirs(self.scratch, mode=0o700, exist_ok=True)
        path = os.path.join(self.scratch, "codex.toml")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return path

    def _token(self, environment: Mapping[str, str]) -> str:
        return environment.get("DEEDLOG_TOKEN", "").strip() or _text(os.path.join(self.store, "token")).strip()


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""
