from __future__ import annotations

from typing import Annotated, Any, NotRequired, cast

from deedlog.core.caller import PEOPLE
from deedlog.core.gate.secrecy import shown
from deedlog.core.gate.server import Server
from deedlog.core.gate.version import told as version
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Outside
from deedlog.work.configuring import Told, about, approve_of, to_approve, told, with_entry
from deedlog.work.mounting import standing


class Enabled(Told):
    changed: bool
    approved: NotRequired[bool]
    version: NotRequired[str]
    launch: NotRequired[dict[str, Any]]
    hint: NotRequired[str]


@operation(
    Effect.DESTROY,
    capability="gateway",
    callers=PEOPLE,
    people=True,
    only_changes=True,
    examples=("deedlog mcp enable github", "deedlog mcp enable linter --yes"),
)
def mcp_enable(
    ctx: Context,
    *,
    name: Annotated[str, Field("The server's name", min_length=1, max_length=200)],
    yes: Annotated[bool, Field("Approve what is shown")] = False,
    source: Annotated[
        str | None, Field("The file that brings it along, where another one of that name is used", max_length=900)
    ] = None,
) -> Enabled:
    """Let an MCP server be used that was disabled, or approve one of the catalogue or of the repository.

    It first shows what is run or reached, in which version and with which keys; `--yes` approves exactly that. An
    approval of a repository's server holds in this project. Another command or version needs another approval.
    """
    server = standing(ctx, name).server
    was_disabled = server.disabled
    brought = to_approve(ctx, server, source)
    if was_disabled:
        ctx.gateway.write(with_entry(server.name, lambda before: _on(ctx, server, before)))
    if brought is not None and yes:
        approve_of(ctx, brought)
    found = standing(ctx, server.name)
    shows = told(found if brought is None or yes else found.replace(server=brought))
    answer = cast("Enabled", {**shows, "changed": was_disabled or (brought is not None and yes)})
    if brought is not None:
        answer["approved"] = yes
        answer["launch"] = shown(brought)
        answer["version"] = version(brought)
        if not yes:
            which = f" --source {brought.source}" if source else ""
            answer["hint"] = f"look at it; to approve: deedlog mcp enable {server.name}{which} --yes"
    return ctx.commit(answer=answer, outside=_said(answer, was_disabled=was_disabled)) if answer["changed"] else answer


def _said(answer: Enabled, *, was_disabled: bool) -> Outside:
    approved = {"approved": answer["launch"]} if answer.get("approved") else {}
    if not was_disabled:
        return about(answer["name"], after=approved)
    return about(answer["name"], before={"disabled": True}, after={"disabled": False, **approved})


def _on(ctx: Context, server: Server, before: dict[str, Any] | None) -> dict[str, Any] | None:
    """Our entry without the word that disables it; where another file says so, ours says otherwise."""
    entry = {key: value for key, value in (before or {}).items() if key not in ("disabled", "enabled")}
    is_ours = "command" in entry or "url" in entry
    says_so = not is_ours and (
        any(each.disabled for each in ctx.gateway.candidates(server.name)) or not (before or {}).get("disabled")
    )
    if says_so:
        return {**entry, "disabled": False}
    return entry or None
