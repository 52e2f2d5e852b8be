"""A coding agent that does what its prompt says, word by word: a real program for tests of workers.

It reads a prompt from standard input (or the file it is given) and does every line that begins with `do:`, in
order: `do: write src/a.txt hello`. `command()` is the argument list for an agent's `command`.

With `listen`, or where it is run with `--listen`, it goes on with its standard input: line by line it does what begins
with `do:`, and says the rest back.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

GIT = ("git", "-c", "user.name=stand-in", "-c", "user.email=stand-in@example.invalid", "-c", "commit.gpgsign=false")
HELD: list[bytearray] = []


def command(*words: str) -> list[str]:
    return [sys.executable, os.path.abspath(__file__), *words]


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def write(path: str, text: str) -> None:
    """Write a file of the work tree; what the system refuses is said, and does not end the work."""
    _change(path, text + "\n", "w")


def append(path: str, text: str) -> None:
    _change(path, text + "\n", "a")


def _change(path: str, text: str, mode: str) -> None:
    try:
        if folder := os.path.dirname(path):
            os.makedirs(folder, exist_ok=True)
        with open(path, mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        say(f"refused {path}: {error.strerror}")
        return
    try:
        with open(os.environ.get("STAND_IN_JOURNAL", os.devnull), "a", encoding="utf-8") as file:
            file.write(path + "\n")
    except PermissionError:
        pass  # it is kept away from there


def delete(path: str, _: str) -> None:
    try:
        os.unlink(path)
    except OSError as error:
        say(f"refused {path}: {error.strerror}")


def commit(first: str, rest: str) -> None:
    """Commit everything, with a message."""
    subprocess.run([*GIT, "add", "--all"], check=True)
    subprocess.run([*GIT, "commit", "--quiet", "--message", f"{first} {rest}".strip()], check=True)


def git(first: str, rest: str) -> None:
    """Run git with these words, and say how that ended."""
    done = subprocess.run([*GIT, first, *rest.split()], check=False, capture_output=True, text=True)
    say(f"git {first}: {done.returncode} {done.stdout.strip()}")


def run(first: str, rest: str) -> None:
    """Run a program and say what it says."""
    done = subprocess.run([first, *rest.split()], check=False, capture_output=True, text=True)
    say((done.stdout + done.stderr).rstrip())


def print_(first: str, rest: str) -> None:
    say(f"{first} {rest}".strip())


def error(first: str, rest: str) -> None:
    sys.stderr.write(f"{first} {rest}".strip() + "\n")
    sys.stderr.flush()


def raw(text: str, _: str) -> None:
    """Bytes, in hexadecimal, as they are."""
    os.write(1, bytes.fromhex(text))


def long(size: str, letter: str) -> None:
    """A line of so many letters."""
    say((letter or "x") * int(size))


def many(count: str, text: str) -> None:
    """So many lines."""
    sys.stdout.write("".join(f"{number} {text}\n" for number in range(int(count))))
    sys.stdout.flush()


def usage(tokens_in: str, rest: str) -> None:
    """What Claude Code prints at its end: tokens in, tokens out, dollars."""
    tokens_out, cost = rest.split()
    said = {"input_tokens": int(tokens_in), "output_tokens": int(tokens_out)}
    say(json.dumps({"type": "result", "subtype": "success", "total_cost_usd": float(cost), "usage": said}))


def env(name: str, _: str) -> None:
    say(f"{name}={os.environ.get(name, '')}")


def temporary(_: str, __: str) -> None:
    with tempfile.NamedTemporaryFile():
        say("temporary file made")


def pid(path: str, _: str) -> None:
    """Write down the number of this process, where the test can see it."""
    _tell(path, str(os.getpid()))


def _tell(path: str, text: str) -> None:
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(f"{path}.new", path)


def wait(path: str, _: str) -> None:
    """Go on when somebody opens the fifo for writing."""
    with open(path, "rb") as fifo:
        fifo.read()


def hang(_: str, __: str) -> None:
    while True:
        time.sleep(3600)


def stubborn(_: str, __: str) -> None:
    """Take no notice of TERM from here on."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def polite(path: str, _: str) -> None:
    """On TERM leave a note and go, with a code of its own."""

    def leave(*_: object) -> None:
        _tell(path, "asked to go")
        os._exit(42)

    signal.signal(signal.SIGTERM, leave)


def child(path: str, how: str) -> None:
    """Leave a child behind that never ends: plain, in a session of its own, or (`lost`) without our environment too."""
    program = f"import os, time; open({path!r}, 'w').write(str(os.getpid())); time.sleep(36000)  # {os.getcwd()}"
    environment = {"PATH": os.environ["PATH"]} if how == "lost" else None
    subprocess.Popen([sys.executable, "-c", program], start_new_session=how != "", env=environment)
    while not (os.path.exists(path) and os.path.getsize(path)):
        time.sleep(0.005)


def listen(_: str, __: str) -> None:
    """Do or say back every line that comes, until there are no more."""
    say("listening")
    for line in sys.stdin:
        text = line.rstrip("\n")
        if text.startswith("do:"):
            work(text)
        else:
            say(f"heard {text}")
    say("no more")


def count(_: str, __: str) -> None:
    """Read all that comes, and only then say how much it was."""
    data = sys.stdin.buffer.read()
    say(f"{len(data)} bytes, {data.count(b'x')} x")


def deaf(_: str, __: str) -> None:
    """Close the standard input."""
    os.close(0)
    say("deaf")


def grab(megabytes: str, _: str) -> None:
    """Take so much memory, or say that there is none."""
    try:
        HELD.append(bytearray(int(megabytes) * 1024 * 1024))
    except MemoryError:
        say(f"no {megabytes} MB")
    else:
        say(f"has {megabytes} MB")


def exit_(code: str, _: str) -> None:
    sys.exit(int(code))


def die(name: str, _: str) -> None:
    os.kill(os.getpid(), getattr(signal, f"SIG{name}"))


DEEDS: dict[str, Callable[[str, str], None]] = {
    "write": write,
    "append": append,
    "delete": delete,
    "commit": commit,
    "git": git,
    "run": run,
    "print": print_,
    "error": error,
    "raw": raw,
    "long": long,
    "many": many,
    "usage": usage,
    "env": env,
    "temporary": temporary,
    "pid": pid,
    "wait": wait,
    "hang": hang,
    "stubborn": stubborn,
    "polite": polite,
    "child": child,
    "listen": listen,
    "count": count,
    "deaf": deaf,
    "grab": grab,
    "exit": exit_,
    "die": die,
}


def work(text: str) -> None:
    for line in text.splitlines():
        if line.startswith("do:"):
            deed, _, rest = line.removeprefix("do:").strip().partition(" ")
            first, _, more = rest.partition(" ")
            DEEDS[deed](first, more)


def main() -> None:
    if sys.argv[1:] == ["--listen"]:
        listen("", "")
    elif len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as file:
            work(file.read())
    else:
        work(sys.stdin.read())


if __name__ == "__main__":
    main()
