"""What may be suspicious about what a server says: a short code that stays the same, and a sentence of ours for it.

Nothing of the foreign text is in either.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

OVERRIDE, CONCEAL, SECRETS, SENDING, ROLE, ORDERS, LATER = (
    *("override", "concealment", "secrets", "sending", "role", "orders", "later"),
)
MEANING = {
    OVERRIDE: "it tells the model to set its instructions aside or to reveal them",
    CONCEAL: "it tells the model to keep something from the user",
    SECRETS: "it wants keys, credentials or private files to be read or passed on",
    SENDING: "it wants data to be sent elsewhere",
    ROLE: "it gives the model another role",
    ORDERS: "it gives the model orders beyond its own use",
    LATER: "it says that it will behave differently once it is trusted",
    "labels": "it poses as a message of the system or marks text as hidden orders",
    "shadowing": "it is about tools of other servers",
    "imitation": "it passes for a tool of another server or of Deedlog",
    "twin": "its name looks like that of another tool of this server",
    "copy": "it is called and described like a tool of another server",
    "unseen": "it has characters that are not seen",
    "lookalikes": "it mixes letters of several scripts that look alike",
    "escapes": "it has escape sequences of terminals",
    "comment": "it has a comment that is not shown where its text is rendered",
    "encoded": "it has encoded text that holds commands or orders",
    "data-uri": "it has a document or a script in an address",
    "long": "it is much longer than a description needs to be",
    "deep": "its definition is nested too deeply to be read",
}
ONLY_TOLD = frozenset({"twin", "copy", "long"})  # these hold nothing back: honest servers are like that, too


def is_grave(codes: Collection[str]) -> bool:
    """Whether a person has to accept such a tool before a model sees it."""
    return not ONLY_TOLD.issuperset(codes)


def meaning(codes: list[str]) -> str:
    return "; ".join(MEANING.get(code, code) for code in codes)
