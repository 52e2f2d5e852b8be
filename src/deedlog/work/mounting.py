"""What is mounted by whom, and what mounting leaves in the ledger.

A server process of ours knows itself what it has mounted. The CLI has no process that lasts: for it the ledger knows,
and what it mounted is started for each call.
"""

from __future__ import annotations

import json

from deedlog.core.errors import Conflict, Denied, NotFound, Unavailable
from deedlog.core.gate.mount import Mount, Pin
from deedlog.core.gate.pinning import launch_hash
from deedlog.core.gate.server import Standing, Status
from deedlog.core.moment import SECOND
from deedlog.ports import Offer
from deedlog.work.lookup import every
from deedlog.work.pinning import is_outdated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.gate.server import Server
    from deedlog.ports import Context

CLI = "cli"
ACTIVE, ENDED = "active", "ended"
MOST_ACTIVATIONS = 5
WINDOW_SECONDS = 60
CHARACTERS_PER_TOKEN = 4
FOR_CLI = "for calls from the command line"  # what is mounted there is not mounted for agents
NOT_RUNNING = "not running"  # what begins the reason of an active server that is down


def standings(ctx: Context) -> list[Standing]:
    """Every server, with what is true of it now for whoever calls."""
    found = ctx.gateway.standings()
    if ctx.gateway.principal != CLI:
        return found
    rows = _rows(ctx)
    return [_for_cli(each, rows) for each in found]


def standing(ctx: Context, name: str) -> Standing:
    """One of them, or `NotFound` with the nearest name."""
    found = ctx.gateway.standing(name)
    return found if ctx.gateway.principal != CLI else _for_cli(found, _rows(ctx, found.server.name))


def _for_cli(found: Standing, rows: dict[str, Mount]) -> Standing:
    if found.status is Status.AVAILABLE and found.server.name in rows:
        return found.replace(status=Status.ACTIVE, reason=FOR_CLI)
    return found


def _rows(ctx: Context, name: str = "") -> dict[str, Mount]:
    where: dict[str, object] = {"principal": ctx.gateway.principal, "status": ACTIVE}
    found = every(ctx.ledger, Mount, {**where, "server": name} if name else where)
    return {row.server: row for row in found}


def rows_of(ctx: Context, name: str) -> list[Mount]:
    """The mounts of a server by whoever calls that are not over: one, or none."""
    where = {"principal": ctx.gateway.principal, "status": ACTIVE, "server": name}
    return list(every(ctx.ledger, Mount, where))


def is_stale(ctx: Context, found: Standing) -> bool:
    """Whether an active server is configured otherwise than when it was mounted."""
    if ctx.gateway.principal == CLI:
        return known_offer(ctx, found.server, ctx.ledger.find_one(Pin, found.server.name)) is None
    now = ctx.gateway.configured(found.server.name)
    return now is not None and now.server.launch != found.server.launch


def over(row: Mount, now: int) -> Mount:
    return row.replace(status=ENDED, ended_at=now)


def mounted(ctx: Context) -> dict[str, Offer]:
    """What is mounted, and what each server offers as far as it is let through."""
    if ctx.gateway.principal == CLI:
        for name in _rows(ctx):
            try:
                ready(ctx, name)
            except (Conflict, Denied, NotFound, Unavailable):
                continue
    return ctx.gateway.mounted()


def ready(ctx: Context, name: str) -> Server:
    """A server that can be called. For the CLI it is mounted as it was known last; the call itself starts it."""
    found = standing(ctx, name)
    server = found.server
    if found.status is not Status.ACTIVE:
        hint = f"mount it with `mcp_activate {server.name}`"
        raise Conflict(f"{server.name} is not active", hint=found.reason or hint, data={"server": server.name})
    if ctx.gateway.offered(server.name) is None:
        pin = ctx.ledger.find_one(Pin, server.name)
        offer = known_offer(ctx, server, pin)
        if pin is None or offer is None:
            hint = f"have a look at it, then `mcp_activate {server.name}` again"
            raise Denied(f"{server.name} is configured otherwise than when it was activated", hint=hint)
        ctx.gateway.mount(server.name, offer)
        ctx.gateway.restrict(server.name, pin.withheld)
    elif is_outdated(ctx, server.name):
        ctx.aside("mcp_refresh", {"server": server.name})
    return server


def known_offer(ctx: Context, server: Server, pin: Pin | None) -> Offer | None:
    """What a server offered when it ran last, unless another program is configured under its name now."""
    if pin is None or not pin.definitions or pin.launch != launch_hash(server):
        return None
    try:
        found = json.loads(ctx.ledger.kept(pin.definitions))
    except (NotFound, ValueError):
        return None
    if isinstance(found, list):
        return Offer(tools=found)
    return Offer(**{name: value for name, value in found.items() if name in Offer.defaults()})


def refuse_too_many(ctx: Context) -> None:
    """Refuse the sixth activation of a minute; what was mounted at start, and what failed, does not count.

    It keeps agents from mounting all there is. A person at the command line needs no such limit.
    """
    if ctx.gateway.principal == CLI:
        return
    since = ctx.now - WINDOW_SECONDS * SECOND
    recent = []
    for row in every(ctx.ledger, Mount, {"principal": ctx.gateway.principal}):
        if row.created_at <= since:
            break
        if not row.boot:
            recent.append(row.created_at)
    if len(recent) >= MOST_ACTIVATIONS:
        wait = -(-(recent[MOST_ACTIVATIONS - 1] - since) // SECOND)
        raise Unavailable(
            f"Rate limit exceeded: at most {MOST_ACTIVATIONS} activations in {WINDOW_SECONDS} seconds",
            hint=f"try again in {wait} s",
            data={"seconds": wait},
        )


def new_mount(ctx: Context, server: Server, *, tools: int, tokens: int, boot: bool = False) -> Mount:
    is_cli = ctx.gateway.principal == CLI
    return Mount(
        id=ctx.new_id("mount"),
        server=server.name,
        principal=ctx.gateway.principal,
        boot=boot,
        actor=ctx.actor,
        host=ctx.workers.host,
        process="" if is_cli else ctx.gateway.process,
        tools=tools,
        tokens=tokens,
        created_at=ctx.now,
    )


def tokens_of(characters: int) -> int:
    """About how many tokens so many characters are."""
    return -(-characters // CHARACTERS_PER_TOKEN)
