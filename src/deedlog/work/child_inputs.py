"""What the operations on children take."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import limits
from deedlog.core.errors import Invalid
from deedlog.operation.define import Field

Json = dict[str, Any]
ChildId = Annotated[str, Field("The child: session-12, or task-5", min_length=1, max_length=80)]
Prompt = Annotated[str, Field("What it shall do", min_length=1, max_length=100_000)]
Role = Annotated[str | None, Field("Its role, in a few words", max_length=120)]
GivenLimits = Annotated[Json | None, Field(limits.NAMES)]
Metadata = Annotated[Json | None, Field("Anything to keep with it")]
Interactive = Annotated[bool, Field("It reads what child_send says from standard input")]
TaskNamed = Annotated[int | None, Field("Work on this task; else one is made of the prompt", minimum=1)]
WorkflowNamed = Annotated[str | None, Field("The workflow of the task that is made", max_length=80)]
ReadyTimeout = Annotated[int, Field("Wait so long until it runs", minimum=0, maximum=120_000)]
Variables = Annotated[dict[str, str] | None, Field("Variables for it; what is in them is not recorded")]

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
# what they name would run, or be asked, before the sandbox is there
RESERVED = ("DEEDLOG_", "LD_", "DYLD_", "GIT_CONFIG", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX", "GIT_COMMON_DIR")
MOST_VARIABLES, MOST_OF_VARIABLES = 64, 65_536


class Sandbox(TypedDict):
    profile: NotRequired[Literal["strict", "standard", "permissive"]]
    allow_env: NotRequired[list[str]]
    env: NotRequired[dict[str, str]]
    inherit_default_env: NotRequired[bool]


GivenSandbox = Annotated[
    Sandbox | None,
    Field("strict: kept in its scope or not started, few variables; permissive: its whole tree"),
]


def variables(given: dict[str, Any] | None, field: str = "env") -> dict[str, str]:
    """The variables that were given, or the refusal of the first that cannot be one."""
    found = given or {}
    for name, value in found.items():
        _checked_name(name, field)
        if not isinstance(value, str) or "\0" in value:
            raise Invalid(f"{field}.{name}: must be text without NUL", data={"field": field})
    if len(found) > MOST_VARIABLES or sum(map(len, found.values())) > MOST_OF_VARIABLES:
        raise Invalid(
            f"{field}: at most {MOST_VARIABLES} variables of {MOST_OF_VARIABLES} characters in all",
            data={"field": field},
        )
    return found


def names(given: list[str] | None) -> list[str]:
    for name in given or ():
        _checked_name(name, "sandbox.allow_env")
    return list(dict.fromkeys(given or ()))


def _checked_name(name: str, field: str) -> None:
    if not VARIABLE.fullmatch(name) or name.startswith(RESERVED):
        raise Invalid(
            f"{field}: {name[:40]!r} cannot be set for a child",
            hint="names are letters, digits and _; what begins with DEEDLOG_, LD_ or GIT_CONFIG is ours",
            data={"field": field},
        )
