"""Whether a tool of a mounted server is let through: what the user said of it by pattern, or what is usual.

The most specific pattern that fits decides: the tool's own name, then the one with more letters. Of two that are
equally specific the stricter one counts. Where nothing fits a tool is let through, a suspicious one is asked about;
`*` alone does not let a suspicious one through, because whoever wrote it did not mean this tool.
"""

from __future__ import annotations

import re
from enum import StrEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EVERY = "*"
WILD = re.compile(r"[*?]")


class Verdict(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


STRICTNESS = {Verdict.ALLOW: 0, Verdict.ASK: 1, Verdict.DENY: 2}


def decided(policy: Mapping[str, str], tool: str, *, suspicious: bool) -> Verdict:
    pattern = deciding(policy, tool)
    if not pattern:
        return Verdict.ASK if suspicious else Verdict.ALLOW
    verdict = read(policy[pattern])
    is_meant = not suspicious or pattern.strip(EVERY)
    return verdict if verdict is not Verdict.ALLOW or is_meant else Verdict.ASK


def deciding(policy: Mapping[str, str], tool: str) -> str:
    """The pattern that decides about a tool; empty where none fits."""
    found = [pattern for pattern in policy if fits(pattern, tool)]
    return max(found, key=lambda pattern: _rank(pattern, tool, policy[pattern]), default="")


def fits(pattern: str, tool: str) -> bool:
    if pattern == tool:
        return True
    parts = (".*" if sign == "*" else "." if sign == "?" else re.escape(sign) for sign in re.sub(r"\*+", "*", pattern))
    return re.fullmatch("".join(parts), tool, re.DOTALL) is not None


def read(said: object) -> Verdict:
    """What a file says. A word that is none of ours was meant as a restriction: somebody is asked."""
    try:
        return Verdict(str(said).strip().lower())
    except ValueError:
        return Verdict.ASK


def only_denying(policy: Mapping[str, str]) -> dict[str, str]:
    """What counts of a policy that a repository brings: it may take away, never allow."""
    return {pattern: said for pattern, said in policy.items() if read(said) is Verdict.DENY}


def _rank(pattern: str, tool: str, said: object) -> tuple[bool, int, int, int]:
    wild = WILD.findall(pattern)
    return pattern == tool, len(pattern) - len(wild), -wild.count("*"), STRICTNESS[read(said)]
