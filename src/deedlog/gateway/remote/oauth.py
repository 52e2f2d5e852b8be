"""Logins to servers over HTTP: tokens in private files, each bound to one address and used for nothing else."""

from __future__ import annotations

import os
from stat import S_IMODE

from deedlog.core.errors import Denied, Invalid, Unavailable
from deedlog.core.gate.server import called
from deedlog.gateway.configuration import own_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.core.gate.server import Server
    from deedlog.gateway.places import Places

    Json = dict[str, Any]
    LookUp = Callable[[str], str | None]

FOLDER = "logins"
PRIVATE_FOLDER = 0o700
OTHERS = 0o077
SECONDS = 300.0  # that a person may take to log in
LOOK = 0.05  # seconds between two looks at whether the caller still waits
SECRET = ("access_token", "refresh_token", "client_secret", "registration_access_token")


class Logins:
    def __init__(self, places: Places) -> None:
        self._folder = os.path.join(places.user, FOLDER)
        self._environment = places.environment
        self._logins: dict[str, Login] = {}

    def of(self, server: Server) -> Login | None:
        """The login of a server; none where its configuration says what `Authorization` to send."""
        if any(header.lower() == "authorization" for header in server.headers):
            return None
        return self._login(server.name)

    def has(self, name: str) -> bool:
        return "tokens" in self._login(name).content()

    def lacks(self, server: Server) -> bool:
        """Whether somebody has to log in before the server can be used, as far as is known without asking it."""
        login = self.of(server)
        if login is None:
            return False
        content = login.content() if "$" in server.url else login.read(server.url)
        if "tokens" in content:
            return False
        return server.auth == "oauth" or bool(content.get("refused"))

    def secrets(self, name: str) -> list[str]:
        return self._login(name).secrets()

    def forget(self, name: str) -> bool:
        """Let go of a login; what the other side knows of it stays there."""
        return self._login(name).forget()

    def login(
        self,
        server: Server,
        look_up: LookUp,
        tell: Callable[[str], None],
        cancelled: Callable[[], bool],
        seconds: float = SECONDS,
    ) -> bool:
        """Have a person log in; False where the server asks for no login.

        Raises:
            Unavailable: it did not come to a login; one that there was is kept.
        """
        if server.transport == "stdio":
            raise Invalid(
                f"{server.name} is a program of this machine: there is nothing to log in to",
                hint=f"`deedlog mcp show {server.name}` names the keys it needs",
            )
        login = self.of(server)
        if login is None:
            raise Denied(
                f"The configuration of {server.name} says what Authorization to send: a login would not be used",
                hint="take the header out of its configuration first",
            )
        from deedlog.gateway.remote.http import resolved  # here and below: only who logs in needs it
        from deedlog.gateway.remote.logging_in import logged_in

        url, headers = resolved(server, look_up)

        def show(address: str) -> None:
            tell(address)
            self._open_browser(address)

        return logged_in(login, server.transport, url, headers, show, cancelled, seconds)

    def _login(self, name: str) -> Login:
        if name not in self._logins:
            self._logins[name] = Login(called(name), self._folder)
        return self._logins[name]

    def _open_browser(self, address: str) -> None:
        """Where there is a screen. Somewhere else the address is copied by hand."""
        import subprocess
        import sys
        from threading import Thread

        screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
        if sys.platform != "darwin" and not any(self._environment.get(name) for name in screens):
            return
        nowhere = subprocess.DEVNULL
        try:  # in a process of its own: browsers write to whatever they inherit
            browser = subprocess.Popen(  # noqa: S603  # an address, as one argument
                [sys.executable, "-I", "-m", "webbrowser", address],
                stdin=nowhere,
                stdout=nowhere,
                stderr=nowhere,
                start_new_session=True,
                env=dict(self._environment),
            )
        except OSError:
            return
        Thread(target=browser.wait, daemon=True).start()


class Login:
    """The file of one server's login."""

    def __init__(self, name: str, folder: str) -> None:
        self.name = name
        self.path = os.path.join(folder, f"{name}.json")
        self._folder = folder
        self._seen: object = None
        self._content: Json = {}

    def content(self) -> Json:
        """What the file holds; nothing of one that others can read, or that is broken."""
        try:
            status = os.stat(self.path)
            state = (status.st_mtime_ns, status.st_ino, status.st_size, status.st_mode)
            if state != self._seen:
                self._content = {} if S_IMODE(status.st_mode) & OTHERS else own_file.read(self.path)
                self._seen = state
        except (OSError, Invalid, Unavailable):
            return {}
        return self._content

    def read(self, url: str) -> Json:
        """What is known of the login at this address. One of another address is none of its business."""
        content = self.content()
        return content if content and content.get("url") == place(url) else {}

    def keep(self, url: str, content: Json) -> None:
        """Put a login in the place of what there was."""
        self._change(lambda _: {"url": place(url), **content})

    def replace(self, url: str, used: str, content: Json) -> None:
        """Change what is known of this login, unless somebody has logged in since `used` was its token."""

        def changed(before: Json) -> Json:
            mine = not before or before.get("url") == place(url)
            return content if mine and before.get("tokens", {}).get("access_token", "") == used else before

        self._change(changed)

    def refresh(self, url: str, used: str, tokens: Json) -> None:
        self.replace(url, used, {**self.read(url), **tokens})

    def refuse(self, url: str, used: str, why: str) -> None:
        """Remember that this login is worth nothing any more, or that one is needed, until somebody logs in."""
        self.replace(url, used, {"url": place(url), "refused": why})

    def forget(self) -> bool:
        had = bool(self.content())
        for path in (self.path, f"{self.path}.new"):
            try:
                os.unlink(path)
            except FileNotFoundError:
                pass
        return had

    def secrets(self) -> list[str]:
        content = self.content()
        held = {**content.get("client", {}), **content.get("tokens", {})}
        return [held[name] for name in SECRET if isinstance(held.get(name), str)]

    def lock(self) -> int | None:
        """The right to refresh, for the one process that has it until it closes the file; None while another has it."""
        import fcntl

        self._make_folder()
        file = os.open(f"{self.path}.refreshing", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, own_file.PRIVATE)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        return file

    def needed(self, *, again: bool) -> Unavailable:
        told = f"The login at {self.name} is no longer valid" if again else f"{self.name} asks for a login"
        hint = f"log in{' again' if again else ''}: deedlog mcp login {self.name}"
        return Unavailable(told, hint=hint, data={"login": self.name})

    def _change(self, changed: Callable[[Json], Json]) -> None:
        self._make_folder()
        try:
            if S_IMODE(os.stat(self.path).st_mode) & OTHERS:
                os.unlink(self.path)  # whoever could read it: a new file is private
        except FileNotFoundError:
            pass
        own_file.change(self.path, changed)

    def _make_folder(self) -> None:
        os.makedirs(os.path.dirname(self._folder), mode=PRIVATE_FOLDER, exist_ok=True)
        os.makedirs(self._folder, mode=PRIVATE_FOLDER, exist_ok=True)
        if S_IMODE(os.stat(self._folder).st_mode) & OTHERS:
            os.chmod(self._folder, PRIVATE_FOLDER)


def place(url: str) -> str:
    """The address a login is bound to, without what may be secret in it. Taken apart by hand: many starts come here."""
    scheme, _, rest = url.partition("://")
    rest = rest.partition("#")[0].partition("?")[0]
    authority, slash, path = rest.partition("/")
    host = authority.rpartition("@")[2].lower()
    if not host.rpartition(":")[2].isdecimal():
        host = f"{host.rstrip(':')}:{443 if scheme.lower() == 'https' else 80}"
    return f"{scheme.lower()}://{host}{slash or '/'}{path}"
