"""ADRs for tests that need some: written by the real engine, as the app's own tree has them."""

from __future__ import annotations

from pathlib import Path

from deedlog.app import App
from deedlog.core.clarify.values import REQUEST, Decided
from deedlog.core.records.building import plan_records
from deedlog.core.records.task import render_task
from deedlog.core.records.values import TASK_FILE, Adr, CurrentTask
from deedlog.core.records.wanted import Wanted

UID = "20250108T143512.237Z-A001"


def record(app: App, title: str = "Choose an ORM", **more: object) -> Adr:
    """Write an ADR. What it decides is given as `Database__ORM="Drizzle"`; other names are fields of what is wanted."""
    chosen = {name: str(value) for name, value in more.items() if "__" in name}
    spec = {name: value for name, value in more.items() if name not in chosen}
    decided = [
        Decided(area=area, field=field, value=value, source=REQUEST)
        for (area, _, field), value in ((name.partition("__"), value) for name, value in chosen.items())
    ]
    whole = {"title": title, "intention": title, "adr": True, "task": False, "decided": decided, **spec}
    wanted = Wanted(**whole)  # type: ignore[arg-type]
    with app.records.writing() as writing:
        planned = plan_records(writing.book, wanted, writing.uid, app.now())
        writing.put(planned.files, {})
        writing.done()
    assert planned.adr is not None
    return planned.adr


def current_task(tree: Path, *, allowlist: list[str], forbidden: list[str] | None = None, uid: str = UID) -> None:
    """Write docs/CURRENT_TASK.md as Deedlog does."""
    task = CurrentTask(uid=uid, title="Add authentication", allowlist=allowlist, forbidden=forbidden or [])
    (tree / TASK_FILE).parent.mkdir(parents=True, exist_ok=True)
    (tree / TASK_FILE).write_text(render_task(task))
