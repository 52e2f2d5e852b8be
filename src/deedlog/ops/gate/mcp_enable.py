from __future__ import annotations

from typing import Annotated, Any

from deedlog.core.gate.server import Server
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.configuring import Told, approve_of, one, with_entry
from deedlog.work.mounting import standing


class Enabled(Told):
    changed: bool
    approved: bool


@operation(
    Effect.DESTROY,
    capability="gateway",
    people=True,
    only_changes=True,
    examples=("deedlog mcp enable github",),
)
def mcp_enable(
    ctx: Context, *, name: Annotated[str, Field("The server's name", min_length=1, max_length=200)]
) -> Enabled:
    """Let an MCP server be used that was disabled, or approve of one that the repository brings along.

    Shows what is run and which keys it gets: look at it, and mcp_disable it if you did not mean that. What is
    approved is this very command, in this project; another one is asked about anew.
    """
    server = standing(ctx, name).server
    was_disabled = server.disabled
    if was_disabled:
        ctx.gateway.write(with_entry(server.name, lambda before: _on(ctx, server, before)))
    brought = _brought(ctx, server, was_disabled=was_disabled)
    if brought is not None:
        approve_of(ctx, brought)
    changed = was_disabled or brought is not None
    answer: Enabled = {**one(ctx, server.name), "changed": changed, "approved": brought is not None}
    return ctx.commit(answer=answer) if changed else answer


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


def _brought(ctx: Context, server: Server, *, was_disabled: bool) -> Server | None:
    """What there is to approve of: the server itself, or one beside it that a trusted one keeps from being used."""
    if not server.trusted:
        return server
    if was_disabled:
        return None
    return next((each for each in ctx.gateway.candidates(server.name) if not each.trusted), None)
