"""What a repository brings that runs programs or redirects data, and the approval it needs from a person."""

from __future__ import annotations

import json

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

SCHEME = "trust://"
SETTING, STORE, SERVER = "setting", "store", "server"
WAITING, CHANGED, REMOVED, APPROVED = "waiting", "changed", "removed", "approved"
SHORT = 12  # hex digits of a hash that people type
# an approval counts at once, in servers that run too; so does what the user lets agents do, or no longer lets them
LIVE = ("checks", "prepare", "merge_hooks", "merge_signing", "agents_may", "token_rights")
# without these no work is merged: only the value that was approved last counts, and to remove it needs an approval, too
MERGE_NEEDS = ("checks", "prepare")


class Brought(Value):
    """One thing that a repository brings, or no longer brings. `mark` is the hash of exactly what a person approves.

    `since` is when its file last changed, in microseconds. `overruled` is true where a value of the user's own counts.
    """

    kind: str
    name: str
    value: Any
    source: str
    mark: str
    state: str = WAITING
    since: int = 0
    overruled: bool = False

    @property
    def id(self) -> str:
        return f"{self.name}-{self.mark[:SHORT]}"

    @property
    def uri(self) -> str:
        return f"{SCHEME}{self.id}"

    @property
    def waits(self) -> bool:
        """Whether a person still has to decide, and the decision would change anything."""
        return self.state != APPROVED and not self.overruled


def mark_of(identity: str, kind: str, name: str, value: Any) -> str:
    """The hash of one value in one repository. Another value, or the same one elsewhere, has another hash."""
    from hashlib import sha256  # only where a repository brings something

    text = json.dumps([identity, kind, name, value], sort_keys=True, ensure_ascii=True)
    return sha256(text.encode()).hexdigest()


def state_of(mark: str, given: Any) -> str:
    """The state of a value, from the hashes that were approved under its name."""
    marks = given if isinstance(given, list) else []
    return APPROVED if mark in marks else CHANGED if marks else WAITING


def chosen(brought: Iterable[Brought], ids: Iterable[str]) -> tuple[list[Brought], list[str]]:
    """The things that people mean by ids, and the ids that mean nothing."""
    known = {one.id: one for one in brought}
    wanted = list(dict.fromkeys(ids))
    return [known[each] for each in wanted if each in known], [each for each in wanted if each not in known]
