"""From the configuration of a server to a conversation with it."""

from __future__ import annotations

import time

from deedlog.core.gate import readiness
from deedlog.core.gate.reference import keys_of
from deedlog.gateway.configuration import catalogue, own_file
from deedlog.gateway.configuration.configured import Configured
from deedlog.gateway.configuration.files import own_path
from deedlog.gateway.configuration.launchers import Launchers
from deedlog.gateway.configuration.secrets import Secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from deedlog.core.gate.server import Server, Standing
    from deedlog.gateway.journal import Journal
    from deedlog.gateway.places import Places
    from deedlog.gateway.remote.oauth import Logins
    from deedlog.gateway.talking.conversation import Conversation
    from deedlog.gateway.wire import Channel

    Json = dict[str, Any]


class Connections:
    def __init__(self, places: Places, own: tuple[str, ...], *, direct: bool = True, boot: Iterable[str] = ()) -> None:
        self._places = places
        self._direct = direct
        self.secrets = Secrets(places)
        self.configured = Configured(places, catalogue.servers, own, boot)
        self._logins: Logins | None = None

    @property
    def logins(self) -> Logins:
        if self._logins is None:
            from deedlog.gateway.remote.oauth import Logins  # only servers over HTTP need it

            self._logins = Logins(self._places)
        return self._logins

    def servers(self) -> list[Server]:
        return self.configured.servers()

    def warnings(self) -> list[str]:
        return [*self.configured.warnings(), *self.secrets.warnings()]

    def standings(self) -> list[Standing]:
        known, launchers = self.secrets.known(), Launchers(self._places)
        return [self._standing(server, known, launchers) for server in self.servers()]

    def standing(self, server: Server) -> Standing:
        return self._standing(server, self.secrets.known(keys_of(server)), Launchers(self._places))

    def _standing(self, server: Server, known: dict[str, str], launchers: Launchers) -> Standing:
        logged_in = server.transport == "stdio" or not self.logins.lacks(server)
        return readiness.standing(server, known, launchers.found, logged_in=logged_in)

    def given(self, server: Server) -> list[str]:
        """The secrets that a server is given, and those of others that it may come to see."""
        tokens = [] if server.transport == "stdio" else self.logins.secrets(server.name)
        return [*self.secrets.values_for(server), *tokens, *self.secrets.of_all(self.servers())]

    def write(self, change: Callable[[Json], Json], *, project: bool) -> str:
        path = own_path(self._places, project=project)
        own_file.change(path, change)
        return path

    def conversation(
        self,
        server: Server,
        notice: Callable[[str, Json], None],
        lost: Callable[[str], None],
        journal: Journal,
        spent: dict[str, float],
    ) -> tuple[Conversation, Channel]:
        from deedlog.gateway.talking.conversation import Conversation

        channel = Noted(self._channel(server), server.name, journal, spent)
        return Conversation(channel, server.name, self._places.root, notice, lost), channel

    def _channel(self, server: Server) -> Channel:
        if server.transport == "stdio":
            from deedlog.gateway.leftovers import STARTED_BY, started_by
            from deedlog.gateway.programs.launch import command_of
            from deedlog.gateway.programs.stdio import StdioChannel
            from deedlog.process import this_process

            launch = command_of(server, self._places, self.secrets.look_up, direct=self._direct)
            env = launch.env | {STARTED_BY: started_by(this_process())}  # what it leaves behind is known by it
            return StdioChannel(launch.argv, env, launch.cwd)
        from deedlog.gateway.remote.http import channel_of  # imports the SDK

        return channel_of(server, self.secrets.look_up, self.logins)

    def close(self) -> None:
        """Nothing here outlives its channel."""


class Noted:
    """A channel whose process is in the journal from the moment it is there, until it is gone."""

    def __init__(self, channel: Channel, server: str, journal: Journal, spent: dict[str, float]) -> None:
        self._channel = channel
        self._server = server
        self._journal = journal
        self._spent = spent
        self._mark = ""
        self.send = channel.send  # on the way of every call
        self.agreed = channel.agreed
        self.said = channel.said

    @property
    def unread(self) -> bool:
        return self._channel.unread

    @property
    def pid(self) -> int:
        return self._channel.pid

    def open(self, receive: Callable[[Json], None], lost: Callable[[str], None], seconds: float) -> None:
        began = time.monotonic()
        self._channel.open(receive, lost, seconds)
        self._spent["spawn"] = time.monotonic() - began
        if self._channel.pid:
            self._mark = self._journal.child(self._server, self._channel.pid)

    def close(self) -> None:
        self._channel.close()
        if self._mark:
            self._journal.gone(self._mark)
