"""Two secrets of the server, kept beside the store: the token of programs, and the one that signs links for people.

A program gets the token, so the token must not sign a person in.
"""

from __future__ import annotations

import fcntl
import os

from deedlog.approvals import claim_store
from deedlog.core.errors import Invalid, Part, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.settings import Settings

TOKEN, SIGN_IN = "token", "sign-in"
BYTES = 32


def token(settings: Settings, *, make: bool = True) -> str:
    """The token; empty when there is none yet and none shall be made."""
    if settings["token"]:
        return _configured(settings["token"].strip())
    return _secret(settings, TOKEN, make=make)


def sign_in_secret(settings: Settings) -> str:
    """Return the secret with which the server and `deedlog open` sign links. Nothing hands it out."""
    return _secret(settings, SIGN_IN, make=True)


def _secret(settings: Settings, name: str, *, make: bool) -> str:
    if make:
        claim_store(settings)
    path = os.path.join(settings.the_project().store, name)
    try:
        return _kept(path) or (_made(path) if make else "")
    except OSError as error:
        raise Unavailable(
            f"the secret {path} cannot be kept: {error.strerror}",
            hint="check the folder's permissions" + (", or set DEEDLOG_TOKEN" if name == TOKEN else ""),
            part=Part.CONFIGURATION,
        ) from error


def _configured(secret: str) -> str:
    if not _usable(secret):
        hint = "use printable ASCII characters without spaces, or leave it out: one is made then"
        raise Invalid("the configured token is empty or cannot be sent in a header", hint=hint, part=Part.CONFIGURATION)
    return secret


def _usable(secret: str) -> bool:
    return bool(secret) and secret.isascii() and secret.isprintable() and " " not in secret


def _kept(path: str) -> str:
    """The secret in the file; none when there is no file, or none that a power cut left whole."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            secret = file.read().strip()
    except FileNotFoundError:
        return ""
    return secret if _usable(secret) else ""


def _made(path: str) -> str:
    """A new secret, or the one another process made first: they come one after the other."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    place = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(place, fcntl.LOCK_EX)
        secret = _kept(path)
        if not secret:
            secret = os.urandom(BYTES).hex()
            _put(path, secret + "\n")
            os.fsync(place)
        return secret
    finally:
        os.close(place)


def _put(path: str, text: str) -> None:
    """The file appears under its name only when it is whole and on disk."""
    draft = path + ".part"
    if os.path.lexists(draft):
        os.unlink(draft)  # of a process that died: nobody else is here
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


def derived(secret: str, purpose: str) -> str:
    """Return another secret, the same every time. It reveals neither this one nor those for other purposes."""
    import hmac  # only servers and commands that talk to them need it

    return hmac.new(secret.encode(), purpose.encode(), "sha256").hexdigest()


def server_proof(secret: str, run: str, at: str, challenge: str) -> str:
    """Return the answer that only the server with this secret can give, for its run and the address it listens on.

    A program that passes the question on to the server is at another address.
    """
    return derived(secret, f"proof {run} {at} {challenge}")


def link_code(secret: str, run: str, seconds: int) -> str:
    """Return a code that signs one browser in: good once, for these seconds, on this run of the server."""
    import time

    end, salt = int(time.time()) + seconds, os.urandom(8).hex()
    return f"{end}-{salt}-{derived(secret, f'link {run} {end} {salt}')}"
