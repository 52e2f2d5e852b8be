"""References and placeholders in the configuration of a server: `${GITHUB_TOKEN}`, `YOUR_API_KEY`.

A reference names a key that is looked up when the server is started; a placeholder stands where somebody
forgot to put a value. Both are told apart from values that are meant as they are.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.core.gate.server import Server

    LookUp = Callable[[str], str | None]

# `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `${input:id}`
BRACED = re.compile(r"\$\{(?:(?:env|input):)?(?P<name>[A-Za-z_][\w.-]*?)(?::-(?P<default>[^}]*))?\}")
BARE = re.compile(r"\$([A-Z_][A-Z0-9_]*)")  # only as a whole value: prices and passwords have a $ in them, too
LABEL = re.compile(r"-{0,2}[\w.-]+(?:=|:(?!//)\s*)")  # `--api-key=`, `KEY=`, `Authorization: `
SCHEMES = ("bearer", "basic", "token", "apikey")  # what stands before a key in a header
BEGINNINGS = (
    *(
        f"{word}{sign}"
        for word in ("your", "replace", "put_your", "put-your", "put your", "insert", "enter", "fill")
        for sign in "_- "
    ),
    *("xxx", "sk-xxx", "placeholder", "/path/to/", "/absolute/path/to/"),
)
USUAL = re.compile(  # in small letters, and without spaces: whoever writes sentences may address somebody
    r"your(?:api|key|token|secret|password)\S*|(?:\S*[^\sa-z])?your(?:[^\sa-z]\S*)?|my[-_](?:api[-_]?)?(?:key|token|secret)"
    r"|\S*[-_]x{4,}|\S*(?:\.\.\.|\u2026)|\S*[-_]here|\{+[\w-]+\}+|%\w+%|\[[a-z]+[_-]\w+\]|[*\u2022]{3,}|undefined|[a-z]:\\path\\to\S*"
)
WORDS = ("todo", "changeme", "change-me", "change_me", "change me", "change.me")  # and nothing that makes it another


def names(text: str) -> list[str]:
    """The keys that a value refers to, whether or not it can do without them."""
    return list(_references(text))


def needed(text: str) -> list[str]:
    """The keys that a value refers to and has nothing instead of."""
    return [name for name, default in _references(text).items() if default is None]


def _references(text: str) -> dict[str, str | None]:
    if whole := BARE.fullmatch(text):
        return {whole[1]: None}
    return {found["name"]: found["default"] for found in BRACED.finditer(text)} if "${" in text else {}


def resolved(text: str, look_up: LookUp) -> str:
    """A value with what its references stand for; one that stands for nothing leaves nothing."""
    if whole := BARE.fullmatch(text):
        return look_up(whole[1]) or ""
    return BRACED.sub(lambda found: look_up(found["name"]) or found["default"] or "", text)


def bare(text: str) -> str:
    """A value without the word that says what kind of key follows: `Bearer`."""
    first, _, rest = text.strip().partition(" ")
    return rest.strip() if first.lower() in SCHEMES else text.strip()


def beside(text: str) -> str:
    """What a value has beside references and the word before them."""
    return "" if BARE.fullmatch(text) else bare(BRACED.sub("", text))


def is_forgotten(text: str) -> bool:
    """Whether a value is empty or a placeholder, also behind `Bearer`. A reference is neither: it is looked up."""
    value = bare(text)
    if not value:
        return True
    if "$" in value:
        left = BRACED.sub("", value)
        if "${" in left and "}" in left:
            return True  # refers to what nobody here knows: `${command:…}`
        if left != value or BARE.fullmatch(value):
            return False
    said = value.lower()
    return (
        said.startswith(BEGINNINGS)
        or USUAL.fullmatch(said) is not None
        or any(said.startswith(word) and not said[len(word) :][:1].isalpha() for word in WORDS)
        or (said[0] == "<" and said[-1] == ">")
    )


def parameters(address: str) -> list[tuple[str, str]]:
    """The names and values after the question mark of an address."""
    query = address.partition("?")[2].partition("#")[0]
    parts = (part.partition("=") for part in query.split("&"))
    return [(name, value) for name, equals, value in parts if name and equals]


def label_of(argument: str) -> tuple[str, str]:
    """An argument's label (`--api-key`, `Authorization`), where it has one, and the rest of it."""
    found = LABEL.match(argument)
    return (found[0].rstrip(" =:\t"), argument[found.end() :]) if found else ("", argument)


def environment(server: Server, look_up: LookUp) -> dict[str, str]:
    """The variables that a server gets, and no other server: those it sets and those it needs.

    One that was left empty, or has a placeholder, is looked up under its own name. What nobody knows is left out.
    """
    found = {}
    for key, text in server.env.items():
        value = look_up(key) if is_forgotten(text) else resolved(text, look_up)
        if value:
            found[key] = value
    if server.transport == "stdio":
        for key in (*server.required, *server.optional):
            if key not in found and (value := look_up(key)):
                found[key] = value
    return found


def keys_of(server: Server) -> list[str]:
    """Every key that a server is given if it is known: no other is ever looked up for it."""
    texts = [server.command, *server.args, server.cwd, server.url, *server.headers.values(), *server.env.values()]
    own = [key for key, text in server.env.items() if is_forgotten(text)]
    return list(
        dict.fromkeys([*(name for text in texts for name in names(text)), *own, *server.required, *server.optional])
    )
