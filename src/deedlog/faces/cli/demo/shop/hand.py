"""The agents of the demo: a program that reads its prompt, finds its part, and plays it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time

sys.path[0:1] = []  # beside this program are names that others have, too
from deedlog import bootstrap, settings  # noqa: E402
from deedlog.core.errors import DeedlogError  # noqa: E402
from deedlog.faces.cli.acting import caller  # noqa: E402
from deedlog.faces.cli.demo.shop import parts  # noqa: E402

TITLE = re.compile(r"^# Task #\d+: (.+)$", re.MULTILINE)
GIT = ("git", "-c", "user.name=Builder", "-c", "user.email=builder@example.invalid", "-c", "commit.gpgSign=false")


class Player:
    """Does the steps of a part: each is a word and what belongs to it."""

    def __init__(self, task: str) -> None:
        self._task = f"task-{task}"

    def play(self, steps: parts.Part) -> None:
        for word, *rest in steps:
            getattr(self, word)(*rest)

    def say(self, text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def write(self, path: str, text: str) -> None:
        if folder := os.path.dirname(path):
            os.makedirs(folder, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.say(f"\x1b[36m● Write\x1b[0m({path})  {text.count(chr(10))} lines")

    def edit(self, path: str, old: str, new: str) -> None:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
        self.say(f"\x1b[36m● Edit\x1b[0m({path})")

    def add(self, path: str, text: str) -> None:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
        self.say(f"\x1b[36m● Edit\x1b[0m({path})")

    def commit(self, message: str) -> None:
        """Who is sent back may find all as it should be."""
        subprocess.run([*GIT, "add", "--all"], check=True)  # noqa: S603  # a list of arguments
        if not subprocess.run([*GIT, "diff", "--cached", "--quiet"], check=False).returncode:  # noqa: S603
            self.say("Nothing is left to commit.")
            return
        subprocess.run([*GIT, "commit", "--quiet", "--message", message], check=True)  # noqa: S603
        self.say(f"\x1b[33m●\x1b[0m committed: {message}")

    def milestone(self, message: str, progress: int) -> None:
        self._tell("log_milestone", message=message, progress=progress)

    def decision(self, question: str, chosen: str, reasoning: str) -> None:
        self._tell("log_decision", category="trade_off", question=question, chosen=chosen, reasoning=reasoning)

    def usage(self, tokens_in: int, tokens_out: int, cost: float) -> None:
        said = {"input_tokens": tokens_in, "output_tokens": tokens_out}
        self.say(json.dumps({"type": "result", "subtype": "success", "total_cost_usd": cost, "usage": said}))

    def end(self, code: int) -> None:
        sys.exit(code)

    def _tell(self, operation: str, **said: object) -> None:
        """Report through the socket of its supervisor. A report that is refused is no reason to stop working."""
        found = settings.load(os.getcwd(), os.environ)
        try:
            bootstrap.build(found).call(operation, {"task_id": self._task, **said}, caller(found))
        except DeedlogError as error:
            self.say(f"\x1b[2mnot reported: {error}\x1b[0m")


def main() -> None:
    prompt_file, task, session = sys.argv[1:4]
    with open(prompt_file, encoding="utf-8") as file:
        prompt = file.read()
    title = TITLE.search(prompt)
    player = Player(task)
    player.play(parts.part(title[1] if title else "", int(session), prompt))


if __name__ == "__main__":
    main()
