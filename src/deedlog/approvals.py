"""The approvals of one project, as they are now: a server that runs sees what a person approves meanwhile."""

from __future__ import annotations

import os

from deedlog.core.errors import Unavailable
from deedlog.core.trust import SERVER, SETTING, STORE
from deedlog.project import make_state
from deedlog.repository import identity_of
from deedlog.settings import user_file
from deedlog.trust import Trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.core.trust import Brought
    from deedlog.settings import Settings


class Approvals:
    """`servers` finds the MCP servers that the repository brings; `judge` approves one, or revokes that."""

    def __init__(
        self,
        current: Callable[[], Settings],
        servers: Callable[[Settings], list[Brought]],
        judge: Callable[[Settings, Brought, bool], None],
    ) -> None:
        self._current = current
        self._servers = servers
        self._judge = judge

    def brought(self, *, servers: bool = False) -> list[Brought]:
        settings = self._current()
        return [*settings.brought, *(self._servers(settings) if servers and settings.project else [])]

    def faults(self) -> list[str]:
        return self._current().faults

    def approve(self, items: list[Brought]) -> None:
        settings = self._current()
        trusted = Trusted(os.path.dirname(user_file(settings.environment)))
        for one in items:
            if one.kind == STORE:
                trusted.adopt_store(one.value)
            elif one.kind == SERVER:
                self._judge(settings, one, True)
        if marks := {one.name: one.mark for one in items if one.kind == SETTING}:
            trusted.approve(identity_of(settings.the_project()), marks)

    def revoke(self, items: list[Brought]) -> None:
        settings = self._current()
        trusted = Trusted(os.path.dirname(user_file(settings.environment)))
        for one in items:
            if one.kind == STORE:
                trusted.forget_store(one.value)
            elif one.kind == SERVER:
                self._judge(settings, one, False)
        if names := [one.name for one in items if one.kind == SETTING]:
            trusted.revoke(identity_of(settings.the_project()), names)


def claim_store(settings: Settings, *, is_tried: bool = False) -> None:
    """Make the store of a project without git, and record that this user made it."""
    where = settings.project
    if where is None or where.store != where.store_beside or os.path.lexists(where.store):
        return
    try:
        make_state(where)
        Trusted(os.path.dirname(user_file(settings.environment))).make_store(where.store)
    except Unavailable:
        if not is_tried:  # where it matters, opening the store refuses
            raise
