"""What the decision records of a work tree say: ADRs, the architecture they add up to, the current task."""

from __future__ import annotations

from deedlog.core.value import Value

ADR_FOLDER = "docs/adr"
ARCHIVE_FOLDER = "docs/archive/task"
TASK_FILE = "docs/CURRENT_TASK.md"
STATE_FILE = "docs/ARCHITECTURE_STATE.md"
PROMPT_FILE = "docs/AGENT_PROMPT.md"
REMOVED = "removed"  # what people read where a field was taken out


class Change(Value):
    """One field that an ADR sets; `was` is what it was before, as the ADR `was_uid` had set it.

    One without a value takes the field out of the architecture.
    `over` are further ADRs whose different values it settles: branches that were merged.
    """

    area: str
    field: str
    value: str
    was: str = ""
    was_uid: str = ""
    over: list[str] = []  # noqa: RUF012  # values are never changed in place

    @property
    def said(self) -> str:
        """What the change comes to, for people."""
        return f"{self.area}.{self.field} = {self.value}" if self.value else f"{self.area}.{self.field} {REMOVED}"


class Held(Value):
    """The value of one field of the architecture, and the ADR that set it."""

    value: str
    uid: str


class Adr(Value):
    """What one file below docs/adr says. `form` is deedlog, preflights, madr, nygard or other.

    Only the first two have changes; the others are history. A file without a UID is known by its name.
    """

    uid: str
    title: str
    path: str
    form: str = "deedlog"
    area: str = ""
    date: str = ""
    status: str = "Accepted"
    previous: str = ""
    changes: list[Change] = []  # noqa: RUF012
    snapshot: dict[str, dict[str, Held]] = {}  # noqa: RUF012
    context: str = ""
    decision: str = ""
    rationale: str = ""
    alternatives: list[str] = []  # noqa: RUF012
    consequences: list[str] = []  # noqa: RUF012


class Contradiction(Value):
    """A field that ADRs which did not know of each other set differently; `values` by the UID."""

    area: str
    field: str
    values: dict[str, str]


class Architecture(Value):
    """The fold of all ADRs in the order of their UIDs; `uid` is the highest, empty where there is none."""

    uid: str = ""
    areas: dict[str, dict[str, Held]] = {}  # noqa: RUF012
    conflicts: list[Contradiction] = []  # noqa: RUF012

    def plain(self) -> dict[str, dict[str, str]]:
        return {area: {field: held.value for field, held in fields.items()} for area, fields in self.areas.items()}


class CurrentTask(Value):
    """What docs/CURRENT_TASK.md says; one written by hand has no UID."""

    uid: str
    title: str
    created: str = ""
    adr: str = ""
    objective: str = ""
    context: str = ""
    allowlist: list[str] = []  # noqa: RUF012
    forbidden: list[str] = []  # noqa: RUF012
    constraints: list[str] = []  # noqa: RUF012
    assumptions: list[str] = []  # noqa: RUF012
    still_open: list[str] = []  # noqa: RUF012
    criteria: list[str] = []  # noqa: RUF012


class Book(Value):
    """All records of a work tree. `adrs` are sorted by UID, those without one first.

    `task_text` is the current task's file as it is, `archived` what the archive has under that task's UID already,
    `prompt` the file that starts an agent on it; these two only whoever writes is told.
    """

    adrs: list[Adr] = []  # noqa: RUF012
    architecture: Architecture = Architecture()
    task: CurrentTask | None = None
    task_text: str = ""
    archived: str | None = None
    prompt: str | None = None


class RecordFile(Value):
    """A file to write; one that is `new` never replaces another. Its text may carry bytes as Python escapes them.

    One that is `gone` is removed.
    """

    path: str
    text: str
    new: bool = False
    gone: bool = False
