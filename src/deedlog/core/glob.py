"""Patterns as in a .gitignore file, each by itself: `src/auth/`, `*.sql`, `/docs/**/api-?.md`.

Written here because the library for it takes longer to import than a whole command may take. What
`git check-ignore` says decides, and a test asks it; characters are compared where git compares bytes.
"""

from __future__ import annotations

import re

NEVER, ANY_LETTERS, ANY_FOLDERS = "(?!)", "[^/]*?", "(?:[^/]*/)*?"
STARS = re.compile(r"\*+")
SIGNS = re.compile(r"[*?\[\\]")
CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


def compiled(pattern: str) -> re.Pattern[str]:
    """What matches (from their beginning) the paths that `pattern` covers, itself or through a folder above them."""
    only_folders = pattern.endswith("/")
    body = pattern[:-1] if only_folders else pattern
    anywhere = "/" not in body
    body = "**/" + body if anywhere else body.removeprefix("/")
    return re.compile(translated(body) + ("/" if only_folders else r"(?:/|\Z)"), re.DOTALL)


def translated(body: str) -> str:
    """A regular expression that never tries a choice twice.

    What stands between two `*` of a name, or between two `**/`, is taken at the first place it fits:
    no later place could let more of the path match. Hence the atomic groups.
    """
    done = deep = part = star = chunk = ""  # up to the last **/, that, up to the last * of a name, that, the rest
    at = 0
    while at < len(body):
        found = STARS.match(body, at)
        if not found:
            piece, at = one_character(body, at)
            chunk += piece
            if piece == "/":
                part, star, chunk = part + star + chunk, "", ""
            continue
        literally = not SIGNS.search(body, 0, at)  # as git has it: `src**/x` is at any depth, too
        whole = len(found[0]) > 1 and (literally or body[at - 1] == "/")
        at = found.end()
        if whole and at == len(body):
            return done + deep + part + chunk + ".*"
        if whole and body.startswith(("/", "\\/"), at):
            done, part, chunk = f"{done}(?>{deep}{part}{chunk})", "", ""
            deep = ANY_FOLDERS if body[at] == "/" else ".*?"
            at += body[at] == "/"
        else:
            part, star, chunk = f"{part}(?>{star}{chunk})", ANY_LETTERS, ""
    return done + deep + part + star + chunk


def one_character(body: str, at: int) -> tuple[str, int]:
    """The expression for one character of a path, and where the pattern goes on."""
    char = body[at]
    if char == "?":
        return "[^/]", at + 1
    if char == "[":
        return _bracket(body, at + 1)
    if char == "\\":
        return (re.escape(body[at + 1]), at + 2) if at + 1 < len(body) else (NEVER, at + 1)
    return ("/" if char == "/" else re.escape(char)), at + 1


def _bracket(body: str, at: int) -> tuple[str, int]:
    negated = body[at : at + 1] in {"!", "^"}
    at += negated
    first = at
    members: list[str] = []
    low = ""  # where a range may begin
    while at < len(body):
        char = body[at]
        if char == "]" and at > first:
            allowed = "".join(members)
            return (f"[^/{allowed}]" if negated else f"(?!/)[{allowed}]"), at + 1
        named = re.compile(r"\[:([^]]*):\]").match(body, at)
        if named:
            if named[1] not in CLASSES:
                break
            members.append(CLASSES[named[1]])
            low, at = "", named.end()
        elif char == "-" and low and body[at + 1 : at + 2] not in {"", "]"}:
            high, at = _member(body, at + 1)
            if low <= high:
                members.append(f"{re.escape(low)}-{re.escape(high)}")
            low = ""
        else:
            low, at = _member(body, at)
            members.append(re.escape(low))
    return NEVER, len(body)


def _member(body: str, at: int) -> tuple[str, int]:
    if body[at] == "\\" and at + 1 < len(body):
        return body[at + 1], at + 2
    return body[at], at + 1
