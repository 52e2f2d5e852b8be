"""A stand-in for a coding agent: a real program that does, in its work tree, what the task's description says.

Each line of the prompt that starts with one of these words is done; everything else is only read:

    WRITE <path> <text>      DELETE <path>       COMMIT <message>     PRINT <text>
    USE <tokens> <dollars>   report usage as Claude Code does
    BLOCK <path>             go on when somebody writes into this pipe
    SPAWN                    leave a child behind that does not listen to TERM
    RUN <words>              run a command, printing what it says
    EXIT <code>
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def write(path: str, *words: str) -> None:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(" ".join(words) + "\n")


def commit(*words: str) -> None:
    subprocess.run(["git", "add", "--all"], check=True)
    subprocess.run(["git", "commit", "--quiet", "--message", " ".join(words)], check=True)


def use(tokens: str, dollars: str) -> None:
    used = {"input_tokens": int(tokens), "output_tokens": 0}
    say(json.dumps({"type": "result", "total_cost_usd": float(dollars), "usage": used}))


def spawn() -> None:
    reading, writing = os.pipe()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say(f"child {os.getpid()}")
        os.close(writing)
        while True:
            signal.pause()
    os.close(writing)
    os.read(reading, 1)


def run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    say(done.stdout + done.stderr)


DOING: dict[str, Callable[..., object]] = {
    "WRITE": write,
    "DELETE": lambda path: Path(path).unlink(),
    "COMMIT": commit,
    "PRINT": lambda *words: say(" ".join(words)),
    "USE": use,
    "BLOCK": lambda path: Path(path).read_bytes(),
    "SPAWN": spawn,
    "RUN": run,
    "EXIT": lambda code: sys.exit(int(code)),
}


def main() -> None:
    prompt = Path(sys.argv[1]).read_text() if len(sys.argv) > 1 else sys.stdin.read()
    say("stand-in started")
    for line in prompt.splitlines():
        word, _, rest = line.partition(" ")
        if word in DOING:
            DOING[word](*shlex.split(rest))


if __name__ == "__main__":
    main()
