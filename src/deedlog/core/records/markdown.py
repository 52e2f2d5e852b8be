"""Text of others inside Markdown: it can never be read as a heading, a comment, a list, a fence or a mark of ours.

`plain` undoes `inline`. What is left out (control characters, marks that turn the direction of writing, invisible
tags) is kept where records need it: in their machine blocks, where such characters are escaped.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SPACES = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
LINES = re.compile(r"\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
UNSEEN = re.compile(
    "[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)
SPECIAL = re.compile(r"[\\`*\[\]]|\((?=ADR\b|was:)|&(?=#?\w+;)|[<>]|(?<!\w)_|_(?!\w)|(?:(?<=\s)|^)#|~(?=~)|\|")
ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
ESCAPED = re.compile(r"\\([\\`*\[\](_#~|.)+=:-])|&(lt|gt|amp);")
NAMES = {"lt": "<", "gt": ">", "amp": "&"}
LINE_START = re.compile(r"(?:[-+=~:]|\d+(?=[.)]))")
MARKS = {c: f"\\u{ord(c):04x}" for c in "<>&`"}  # that could end the fence or begin a comment
UNSAFE_JSON = re.compile(f"[<>&`\x7f-\x9f\u2028\u2029]|{UNSEEN.pattern}")
FENCE = "```"


def flat(text: str) -> str:
    """One line of what can be seen."""
    return SPACES.sub(" ", UNSEEN.sub("", text)).strip()


def cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def inline(text: str, width: int = 0) -> str:
    """Text for the middle of a line, cut to a width where one is given."""
    seen = flat(text)
    return SPECIAL.sub(_escape, cut(seen, width) if width else seen)


def _escape(found: re.Match[str]) -> str:
    return ENTITIES.get(found[0]) or "\\" + found[0]


def plain(text: str) -> str:
    """What `inline` or a line of `block` was made of."""
    return ESCAPED.sub(lambda found: found[1] or NAMES[found[2]], text.strip())


def block(text: str) -> str:
    """Text of several lines as paragraphs."""
    lines = [_start(inline(line)) for line in LINES.split(text)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") or "_None_"


def _start(line: str) -> str:
    found = LINE_START.match(line)
    if not found:
        return line
    return f"\\{line}" if not found[0].isdigit() else f"{found[0]}\\{line[found.end() :]}"


def items(texts: list[str], mark: str = "- ", width: int = 0) -> str:
    return "\n".join(f"{mark}{inline(text, width)}" for text in texts if flat(text)) or "_None_"


def code(text: str) -> str:
    """A path or another literal, in as many backticks as it takes."""
    seen = flat(text)
    longest = max((len(run) for run in re.findall("`+", seen)), default=0)
    if not longest:
        return f"`{seen}`"
    return f"{'`' * (longest + 1)} {seen} {'`' * (longest + 1)}"


def uncode(text: str) -> str:
    text = text.strip()
    marks = len(text) - len(text.lstrip("`"))
    if not marks or len(text) <= 2 * marks or not text.endswith("`" * marks):
        return plain(text)
    inner = text[marks:-marks]
    return inner[1:-1] if marks > 1 and inner.startswith(" ") and inner.endswith(" ") else inner


def machine(kind: str, data: Any) -> str:
    """Data as a fenced block: no text in it can end the fence or look like a comment."""
    import json

    text = json.dumps(data, indent=1, ensure_ascii=False)
    text = UNSAFE_JSON.sub(lambda found: json.dumps(found[0])[1:-1] if found[0] not in MARKS else MARKS[found[0]], text)
    return f"{FENCE}json {kind}\n{text}\n{FENCE}"


def from_machine(text: str, kind: str) -> Any:
    """The data of the first such block, or `ValueError`."""
    import json

    opening = f"\n{FENCE}json {kind}\n"
    start = text.find(opening)
    end = text.find(f"\n{FENCE}\n", start + len(opening)) if start >= 0 else -1
    if end < 0:
        raise ValueError(kind)
    return json.loads(text[start + len(opening) : end])
