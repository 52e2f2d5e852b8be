"""What a client carries from one round of a call to the next: its own replies and how often it was asked,
sealed so that it cannot change them.
"""

from __future__ import annotations

from deedlog.core.entry import digest
from deedlog.faces.mcp.protocol import INVALID_PARAMS, Failure, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

ADDRESS = ("name", "uri", "arguments")  # what must be the same in every round


def seal(secret: bytes, method: str, params: Json, held: Json) -> str:
    from base64 import urlsafe_b64encode  # only calls that ask need it

    body = urlsafe_b64encode(encode({"of": _address(method, params), "held": held})).decode()
    return f"{body}.{_signature(secret, body)}"


def unseal(secret: bytes, method: str, params: Json) -> Json:
    """What was held in earlier rounds."""
    from base64 import urlsafe_b64decode  # see above
    from hmac import compare_digest

    text = params.get("requestState")
    if text is None:
        return {}
    body, _, signature = text.partition(".") if isinstance(text, str) else ("", "", "")
    if not compare_digest(_bytes(signature), _signature(secret, body).encode()):
        raise Failure(INVALID_PARAMS, "requestState: this is not one of ours")
    carried = decode(urlsafe_b64decode(body))
    if carried["of"] != _address(method, params):
        raise Failure(INVALID_PARAMS, "requestState: it belongs to another request")
    return dict(carried["held"])


def _address(method: str, params: Json) -> str:
    return digest([method, *(params.get(name) for name in ADDRESS)])


def _signature(secret: bytes, body: str) -> str:
    from hmac import new  # see above

    return new(secret, _bytes(body), "sha256").hexdigest()


def _bytes(text: str) -> bytes:
    """Also of text that is none, such as half of a surrogate pair."""
    return text.encode("utf-8", "surrogatepass")
