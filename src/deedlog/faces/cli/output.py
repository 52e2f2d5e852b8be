"""Standard output: data only, for a program or for people."""

from __future__ import annotations

import json
import os
import sys

from deedlog.core.errors import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def write(text: str) -> None:
    """A line of data."""
    _send(text + "\n")


def write_bytes(data: bytes) -> None:
    """Data as it is, whatever the encoding of the output."""
    flush()
    _send(data)


def flush() -> None:
    _send("", flush=True)


def _send(data: str | bytes, *, flush: bool = False) -> None:
    if sys.stdout is None:  # it was closed: there is nobody to tell
        return
    try:
        if isinstance(data, bytes):
            sys.stdout.buffer.write(data)
        else:
            sys.stdout.write(data)
        if flush:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop()
        raise Unavailable(f"the output cannot be written: {error.strerror}") from error


def nobody_reads() -> bool:
    """Whether the other end of the output is closed."""
    import select

    if sys.stdout is None:
        return True
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return bool(poll.poll(0))


def drop() -> None:
    """What is left to write goes nowhere, so that ending stays quiet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_answer(
    answer: Any, *, as_json: bool, columns: Sequence[str] = (), brief: bool = False, whole: str = ""
) -> None:
    if as_json:
        write(json.dumps(answer, ensure_ascii=False, default=str))
        return
    from deedlog.faces import advice  # only for people
    from deedlog.faces.cli import show

    style = show.style_of_output(brief=brief, whole=whole)
    for line in show.answer_lines(advice.answer_in_commands(answer), style, columns):
        write(line)
