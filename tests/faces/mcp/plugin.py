"""Operations that ask, wait and report, for tests of the protocol."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Annotated, Any, Literal, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context

Json = dict[str, Any]
NAME: Json = {
    "method": "elicitation/create",
    "params": {
        "message": "Your name?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
    },
}
POLL_SECONDS = 0.005


class Said(TypedDict):
    text: str


@operation(Effect.READ, capability="x", callers=ANYONE, waits=True, words="name ask")
def ask_name(ctx: Context) -> Said:
    """Ask who it is."""
    replies = ctx.peer.ask({"name": NAME})
    return {"text": "nobody" if replies is None else str(replies["name"])}


@operation(Effect.READ, capability="x", callers=ANYONE, waits=True, words="names ask")
def ask_twice(ctx: Context) -> Said:
    """Ask one thing after the other."""
    first, second = ctx.peer.ask({"first": NAME}), ctx.peer.ask({"second": NAME})
    return {"text": f"{first} {second}"}


@operation(Effect.READ, capability="x", callers=ANYONE, words="name blurt")
def ask_unmarked(ctx: Context) -> Said:
    """Ask without being marked for it."""
    return {"text": str(ctx.peer.ask({"name": NAME}))}


@operation(Effect.READ, capability="x", callers=ANYONE, waits=True, words="end await")
def wait_for_end(ctx: Context) -> Said:
    """Report that it runs, then wait until the caller does not want it any more."""
    ctx.peer.log("info", "waiting")
    while not ctx.peer.cancelled():
        threading.Event().wait(POLL_SECONDS)
    return {"text": "over"}


@operation(Effect.READ, capability="x", callers=ANYONE, words="signals block")
def block_signals(ctx: Context) -> Said:
    """Let signals reach the other threads only: they cannot interrupt what this one waits for."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT])
    return {"text": "blocked"}


@operation(Effect.READ, capability="x", callers=ANYONE, words="steps report")
def report_steps(ctx: Context) -> Said:
    """Report progress and log."""
    ctx.peer.progress(1, 2, "half")
    ctx.peer.progress(2, 2)
    ctx.peer.log("debug", "a detail")
    ctx.peer.log("warning", {"careful": True})
    return {"text": "done"}


@operation(Effect.READ, capability="x", callers=ANYONE, words="lines print")
def print_lines(ctx: Context) -> Said:
    """Write where only the protocol belongs."""
    print("a stray line", flush=True)  # noqa: T201
    os.write(1, b"another\n")
    return {"text": "done"}


@operation(Effect.READ, capability="x", callers=ANYONE, words="bug meet")
def break_down(ctx: Context) -> Said:
    """Fail as no operation should."""
    raise RuntimeError("a bug")


@operation(Effect.READ, capability="x", callers=ANYONE, passes=True, words="nan say")
def say_nan(ctx: Context) -> Said:
    """Answer what JSON has no word for."""
    return {"text": float("nan")}  # type: ignore[typeddict-item]


@operation(Effect.READ, capability="x", callers=ANYONE, passes=True, waits=True, words="object say")
def say_object(ctx: Context) -> Said:
    """Answer what is no data, beside other calls."""
    return {"text": object()}  # type: ignore[typeddict-item]


@operation(Effect.READ, capability="x", callers=ANYONE, waits=True, words="much say")
def say_much(ctx: Context) -> Said:
    """Answer more than a pipe holds, beside other calls."""
    return {"text": "x" * 1_000_000}


@operation(Effect.READ, capability="x", callers=ANYONE, words="object log")
def log_object(ctx: Context) -> Said:
    """Log what is no data."""
    ctx.peer.log("error", object())
    return {"text": "done"}


@operation(Effect.READ, capability="x", callers=ANYONE, waits=True, words="process leave")
def leave(ctx: Context) -> Said:
    """End the process it runs in, or try to."""
    sys.exit(5)


@operation(Effect.READ, capability="x", callers=ANYONE, prompt=True, words="review prompt")
def review(
    ctx: Context,
    *,
    depth: Annotated[Literal["quick", "quiet", "deep"], Field("How deep")],
    count: Annotated[int, Field("How many", minimum=1)] = 1,
) -> Said:
    """Review some work."""
    return {"text": f"{depth} {count}"}


@operation(
    Effect.READ, capability="x", callers=ANYONE, resource="note://fixed", mime_type="text/plain", words="note fixed"
)
def fixed_note(ctx: Context) -> Said:
    """Read the one note there is."""
    return {"text": "a note"}
