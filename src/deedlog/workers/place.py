"""Where a worker, or a check, runs: what must stay as it is, and what must not be seen."""

from __future__ import annotations

import os

from deedlog.core.value import Value
from deedlog.workers import hidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Place(Value):
    """`root` is the user's main work tree, `store` Deedlog's. `scratch` is a folder for temporary files.

    `private` is the repository of the worker, `pointer` the file whose content is its `.git`, `common` the user's
    repository; all empty where there is none. `shown` are paths that the worker uses although they lie in hidden ones.
    """

    store: str
    root: str
    tree: str
    scratch: str = ""
    private: str = ""
    pointer: str = ""
    common: str = ""
    client: str = ""
    shown: tuple[str, ...] = ()

    def protected(self) -> list[str]:
        """What cannot be written, wherever it lies."""
        paths = (self.root, self.common or os.path.join(self.root, ".git"), self.store)
        return [os.path.realpath(path) for path in paths if path and os.path.exists(path)]

    def hidden(self, environment: Mapping[str, str]) -> list[str]:
        return hidden.hidden(self.client, environment, [self.store])
