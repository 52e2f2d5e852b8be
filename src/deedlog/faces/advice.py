"""What to do next, in the words of the command line: operations are known by their tools' names elsewhere."""

from __future__ import annotations

import re

from deedlog.operation import catalog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FIELDS = ("hint", "restore", "warnings")  # of answers, that tell what to do next
GOLDEN = {"require_clarification": "clarify", "clarification_list": "clarify status"}  # commands made for people
TOOL = re.compile('(?<!["\\w])`?([a-z]+(?:_[a-z]+)+)`?( [a-z]+-[0-9a-z]{8,}\\b)?')  # a value in quotes stays
CALL = re.compile("`([a-z]+(?:_[a-z]+)+)((?: [^ `]+)+)`")  # with what it is given
SAYINGS = (  # what is said to those who call tools, as people do it
    (
        re.compile("resources_watch sc://runs/(run-[0-9a-z]+)/events tells how it goes"),
        r"`deedlog plan wait \1` waits for it",
    ),
    (re.compile("worker_done with how discard and force"), "`deedlog worker done --how discard --force`"),
    (re.compile("worker_done with how discard"), "`deedlog worker done --how discard`"),
    (re.compile("worker_done with force"), "`deedlog worker done --force`"),
    (
        re.compile("call require_clarification without a session_id to start a new session"),
        'begin anew with: deedlog clarify "what you want"',
    ),
    (re.compile("; one that was begun with a repo_path goes on with the same repo_path"), ""),
    (re.compile("repeat the call with repo_path (?=')"), "run it in "),
)


def in_commands(text: str) -> str:
    """`text` with `deedlog worker done` where it says worker_done."""
    for said, meant in SAYINGS:
        text = said.sub(meant, text)
    if not TOOL.search(text):
        return text
    words = {op.name: min(op.alias or op.words, op.words, key=len) for op in catalog.load()} | GOLDEN
    text = CALL.sub(lambda found: f"`deedlog {words[found[1]]}{found[2]}`" if found[1] in words else found[0], text)
    return TOOL.sub(
        lambda found: f"`deedlog {words[found[1]]}{found[2] or ''}`" if found[1] in words else found[0], text
    )


def answer_in_commands(answer: Any) -> Any:
    """An answer whose fields that tell what to do next name commands."""
    if isinstance(answer, list):
        return [answer_in_commands(item) for item in answer]
    if not isinstance(answer, dict):
        return answer
    return {name: _told(value) if name in FIELDS else answer_in_commands(value) for name, value in answer.items()}


def _told(value: Any) -> Any:
    if isinstance(value, list):
        return [_told(item) for item in value]
    return in_commands(value) if isinstance(value, str) else answer_in_commands(value)
