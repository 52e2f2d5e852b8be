"""Keys that servers need: from the environment, from a private file of ours, or from the keyring.

A value leaves this module only for the server whose configuration names its key. The file holds
`{"GITHUB_TOKEN": "…"}`; of a key in the keyring it has the name alone: `{"GITHUB_TOKEN": {"in": "keyring"}}`.
"""

from __future__ import annotations

import os
from stat import S_IMODE
from sys import modules

from deedlog.core.errors import DeedlogError, Denied, Invalid, Part, Unavailable
from deedlog.core.gate.reference import keys_of
from deedlog.gateway.configuration import own_file
from deedlog.project import OTHERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from types import ModuleType
    from typing import Any

    from deedlog.core.gate.server import Server
    from deedlog.gateway.places import Places

    Json = dict[str, Any]

FILE = "secrets.json"
SERVICE = "deedlog"  # what the keyring calls us
IN_KEYRING = {"in": "keyring"}
NO_SECRETS = ("HOME", "PATH", "PWD", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "HOSTNAME")
SHORTEST = 4  # shorter ones would be found in every text


class Secrets:
    def __init__(self, places: Places) -> None:
        self.path = os.path.join(places.user, FILE)
        self._environment = places.environment
        self._kept: Json = {}
        self._seen: object = None
        self._flaw = ""
        self._from_keyring: dict[str, str | None] = {}

    def look_up(self, key: str) -> str | None:
        """What a key stands for; None where nobody knows. An empty variable counts as none."""
        if value := self._environment.get(key):
            return value
        kept = self._read().get(key)
        if isinstance(kept, str):
            return kept or None
        return self._asked(key) if kept == IN_KEYRING else None

    def known(self, needed: Collection[str] = ()) -> dict[str, str]:
        """The names of the keys that have a value, each with where it is: environment, file or keyring.

        The keyring is only asked for those that are `needed` now: it may take long, or ask a person.
        """
        kept = self._read()
        found = {key: "file" for key, value in kept.items() if value and isinstance(value, str)}
        ringed = [key for key, value in kept.items() if value == IN_KEYRING]
        found |= {key: "keyring" for key in ringed if self._may_have(key) and (key not in needed or self._asked(key))}
        return found | {key: "environment" for key, value in self._environment.items() if value}

    def values_for(self, server: Server) -> list[str]:
        """Every secret that a server is given, longest first, so that texts can be freed of them."""
        from deedlog.core.gate.secrecy import literals  # only where a server is started

        keys = [key for key in keys_of(server) if key not in NO_SECRETS]
        values = {*filter(None, map(self.look_up, keys)), *literals(server)}
        return sorted((value for value in values if len(value) >= SHORTEST), key=len, reverse=True)

    def kept(self) -> list[str]:
        """Every value in the file, whoever it is for: none of them belongs into a record."""
        return [value for value in self._read().values() if isinstance(value, str) and len(value) >= SHORTEST]

    def of_all(self, servers: Collection[Server]) -> list[str]:
        """The secrets in the environment, or in plain text, that any of these servers is configured with."""
        from deedlog.core.gate.secrecy import literals, names_secret  # see above

        keys = {key for server in servers for key in keys_of(server) if names_secret(key)}
        values = {*filter(None, map(self._environment.get, keys)), *(each for one in servers for each in literals(one))}
        return sorted(value for value in values if len(value) >= SHORTEST)

    def warnings(self) -> list[str]:
        self._read()
        return [self._flaw] if self._flaw else []

    def names(self) -> dict[str, str]:
        """The keys that are kept, each with where; refused where the file cannot be used."""
        self._refuse()
        return {key: "file" if isinstance(value, str) else "keyring" for key, value in sorted(self._read().items())}

    def checked(self, key: str) -> str:
        """A key that can be kept: its name is one that an environment could have, and the file can be used."""
        if not key.replace("-", "_").replace(".", "_").isidentifier() or not key.isascii():
            hint = "name it like a variable of the environment, such as GITHUB_TOKEN"
            raise Invalid("key: this is not the name of a key", hint=hint, data={"field": "key"})
        self._refuse()
        return key

    def put(self, key: str, value: str, *, in_keyring: bool = False) -> str:
        """Keep a key; returns where it is now."""
        self.checked(key)
        was_in_keyring = self._read().get(key) == IN_KEYRING
        if in_keyring:
            self._store(key, value)
        own_file.change(self.path, lambda kept: {**kept, key: IN_KEYRING if in_keyring else value})
        if was_in_keyring and not in_keyring:
            self._drop(key)
        return "the keyring" if in_keyring else self.path

    def remove(self, key: str) -> bool:
        self._refuse()
        kept = self._read()
        if key not in kept:
            return False
        own_file.change(self.path, lambda now: {name: value for name, value in now.items() if name != key})
        if kept[key] == IN_KEYRING:
            self._drop(key)
        return True

    def _refuse(self) -> None:
        self._read()
        if self._flaw:
            raise Denied(self._flaw, hint="mend the file, or move it away", part=Part.CONFIGURATION)

    def _read(self) -> Json:
        """What the file holds; nothing, with a warning, where others can read it or it is broken."""
        try:
            found = os.stat(self.path)
        except OSError:
            self._kept, self._seen, self._flaw = {}, None, ""
            return self._kept
        state = (found.st_ino, found.st_mtime_ns, found.st_size, found.st_mode, found.st_uid)
        if state != self._seen:
            self._kept, self._flaw = self._parsed(found)
            self._from_keyring = {}
            self._seen = state
        return self._kept

    def _parsed(self, found: os.stat_result) -> tuple[Json, str]:
        if S_IMODE(found.st_mode) & OTHERS:
            return {}, f"{self.path} is not used: others can read it; `chmod 600 {self.path}` mends that"
        if found.st_uid != os.getuid():
            return {}, f"{self.path} is not used: it belongs to another user"
        try:
            return own_file.read(self.path), ""
        except DeedlogError as error:
            return {}, error.message

    def _may_have(self, key: str) -> bool:
        return bool(self._from_keyring.get(key, _is_installed()))

    def _asked(self, key: str) -> str | None:
        if key not in self._from_keyring:
            self._from_keyring[key] = _from_keyring(key)
        return self._from_keyring[key]

    def _store(self, key: str, value: str) -> None:
        keyring = _keyring()
        if keyring is None:
            hint = "pip install 'deedlog[keyring]', or leave out --keyring: a private file is used then"
            raise Unavailable("there is no keyring here", hint=hint, part=Part.CONFIGURATION)
        try:
            keyring.set_password(SERVICE, key, value)
        except Exception as error:  # a back-end may raise anything, with the value in its text
            hint = "leave out --keyring: a private file is used then"
            raise Unavailable("the keyring did not take the key", hint=hint, part=Part.CONFIGURATION) from error
        self._from_keyring.pop(key, None)

    def _drop(self, key: str) -> None:
        """Take a key out of the keyring; where that is impossible nothing refers to it any more."""
        keyring = _keyring()
        self._from_keyring.pop(key, None)
        if keyring is not None:
            try:
                keyring.delete_password(SERVICE, key)
            except Exception:  # noqa: BLE001  # see `_store`
                return


def _is_installed() -> bool:
    from importlib.util import find_spec

    try:
        return find_spec("keyring") is not None
    except ValueError:
        return "keyring" in modules


def _keyring() -> ModuleType | None:
    """The package, where it is installed: an extra of ours."""
    try:
        import keyring  # type: ignore[import-not-found,unused-ignore]  # asks every back-end: only who has keys in it pays
    except Exception:  # noqa: BLE001  # a broken back-end is as good as none
        return None
    return keyring  # type: ignore[no-any-return,unused-ignore]


def _from_keyring(key: str) -> str | None:
    keyring = _keyring()
    if keyring is None:
        return None
    try:
        return keyring.get_password(SERVICE, key) or None
    except Exception:  # noqa: BLE001  # see `_keyring`
        return None
