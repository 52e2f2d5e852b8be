"""Files that are written whole or not at all."""

from __future__ import annotations

import os

from deedlog.core.errors import Part, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def write_whole(path: str, pieces: Iterable[str], *, secret: bool = False) -> None:
    """Replace a file's content in one step; it keeps its permissions, and a link keeps pointing where it did.

    What is secret only its owner may read, whatever the permissions were.
    """
    path = os.path.realpath(path)
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o644
        mode = 0o600 if secret else mode
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                for piece in pieces:
                    file.write(piece.encode())
                os.fchmod(file.fileno(), mode)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        except BaseException:
            if os.path.exists(draft):
                os.unlink(draft)
            raise
    except OSError as error:
        hint = "check the permissions of its folder and the space on its disk"
        raise Unavailable(f"{path} cannot be written: {error.strerror}", hint=hint, part=Part.CONFIGURATION) from error
