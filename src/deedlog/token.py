"""The secret that changes over HTTP need: configured, or made once and kept beside the store."""

from __future__ import annotations

import os

from deedlog.core.errors import Part, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.settings import Settings

FILE = "token"
BYTES = 32


def token(settings: Settings, *, make: bool = True) -> str:
    """The token; empty when there is none yet and none shall be made."""
    configured: str = settings["token"]
    if configured:
        return configured
    path = os.path.join(settings.the_project().store, FILE)
    try:
        return _kept(path) or (_made(path) if make else "")
    except OSError as error:
        raise Unavailable(
            f"the token {path} cannot be kept: {error.strerror}",
            hint="check the folder's permissions, or set DEEDLOG_TOKEN",
            part=Part.CONFIGURATION,
        ) from error


def _kept(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


def _made(path: str) -> str:
    """A new token, or the one another process made first: a file appears under its name only when it is whole."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    draft = f"{path}.{os.urandom(4).hex()}"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(os.urandom(BYTES).hex() + "\n")
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)
    return _kept(path)
