"""The agents of the demo: a program that reads its prompt, finds its part, and plays it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request

sys.path[0:1] = []  # beside this program are names that others have, too
from deedlog.faces.cli.demo.shop import parts  # noqa: E402

TITLE = re.compile(r"^# Task #\d+: (.+)$", re.MULTILINE)
WORKER = re.compile(r"^# Worker: (.+)$", re.MULTILINE)
GIT = ("git", "-c", "user.name=Builder", "-c", "user.email=builder@example.invalid", "-c", "commit.gpgSign=false")
PATIENCE_SECONDS = 20


class Player:
    """Does the steps of a part: each is a word and what belongs to it."""

    def __init__(self, name: str, task: str, desk: dict[str, str]) -> None:
        self._name = name
        self._task = f"task-{task}"
        self._desk = desk

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
        self._tell("milestone/log", message=message, progress=progress)

    def decision(self, question: str, chosen: str, reasoning: str) -> None:
        self._tell("decision/log", category="trade_off", question=question, chosen=chosen, reasoning=reasoning)

    def usage(self, tokens_in: int, tokens_out: int, cost: float) -> None:
        said = {"input_tokens": tokens_in, "output_tokens": tokens_out}
        self.say(json.dumps({"type": "result", "subtype": "success", "total_cost_usd": cost, "usage": said}))

    def end(self, code: int) -> None:
        sys.exit(code)

    def _tell(self, words: str, **said: object) -> None:
        """What an agent says over MCP; a server that is away is no reason to stop working."""
        request = urllib.request.Request(  # noqa: S310  # our own server
            f"{self._desk['address']}api/{words}",
            data=json.dumps({"task_id": self._task, **said}).encode(),
            headers={
                "Content-Type": "application/json",
                "Authorization": f"Bearer {self._desk['token']}",
                "Deedlog-Actor": self._name,
            },
        )
        try:
            urllib.request.urlopen(request, timeout=PATIENCE_SECONDS).close()  # noqa: S310
        except OSError as error:
            self.say(f"\x1b[2mnot told: {error}\x1b[0m")


def main() -> None:
    prompt_file, task, session, desk_file = sys.argv[1:5]
    with open(prompt_file, encoding="utf-8") as file:
        prompt = file.read()
    with open(desk_file, encoding="utf-8") as file:
        desk = json.load(file)
    title, worker = TITLE.search(prompt), WORKER.search(prompt)
    player = Player(worker[1] if worker else "builder", task, desk)
    player.play(parts.part(title[1] if title else "", int(session), prompt))


if __name__ == "__main__":
    main()
