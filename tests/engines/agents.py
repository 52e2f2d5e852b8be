"""Agents that ask for tasks at the same moment, each a process of its own.

`python -m tests.engines.agents hand-out 32 16 60 sqlite FOLDER`: 32 agents claim tasks until there are none; 16 of
them, whose claims last 60 seconds, are killed in the midst of it.
`python -m tests.engines.agents race 8 1000 sqlite FOLDER`: 8 agents race for the only task, 1,000 times.
Both print what the agents were told, a JSON line each. The agents are forked, warm, from a process that does not
open the store itself.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import select
import sys
from importlib import import_module
from typing import Any

from deedlog.app import App
from deedlog.core.errors import Overtaken
from deedlog.testing import app_on, caller
from tests.engines.campaign import in_child, killed
from tests.engines.process import opened

Json = dict[str, Any]
LONG = 86_400
WARM = ("deedlog.ops.tasks.task_next", "deedlog.ops.tasks.task_release")


class Agent:
    """Somebody who is told what to do by single letters, and tells what came of it in lines of JSON."""

    def __init__(self, name: str, where: list[str], lease: int = LONG, gate: Any = None) -> None:
        self.name = name
        self.dead = False
        self._lease = lease
        self._gate = gate
        self._heard = b""
        ours, theirs = os.pipe(), os.pipe()
        self.process = in_child(lambda: self._live(where, theirs[0], ours[1]))
        os.close(theirs[0])
        os.close(ours[1])
        self.ear, self._mouth = ours[0], theirs[1]

    def tell(self, word: str) -> None:
        os.write(self._mouth, word.encode())

    def told(self) -> list[Json]:
        """What it says next."""
        piece = os.read(self.ear, 65_536)
        self.dead = not piece
        *lines, self._heard = (self._heard + piece).split(b"\n")
        return [json.loads(line) for line in lines]

    def _live(self, where: list[str], ear: int, mouth: int) -> None:
        app = app_on(opened(*where))
        lost = _losses(app)

        def say(answer: Json) -> None:
            os.write(mouth, json.dumps({"agent": self.name, **answer, "lost": len(lost)}).encode() + b"\n")

        say({"ready": True})
        while word := os.read(ear, 1):
            if word == b"r":
                self._gate.wait()
                say(self._claimed(app))
            while word == b"a":
                claim = self._claimed(app)
                say(claim)
                word = b"a" if claim["id"] else b""

    def _claimed(self, app: App) -> Json:
        found = app.call("task_next", {"leaseSeconds": self._lease}, caller(self.name))
        return {"id": found["task"] and found["task"]["id"], "epoch": found.get("epoch")}


def _losses(app: App) -> list[Overtaken]:
    """How often somebody else was faster, as a list that grows."""
    lost: list[Overtaken] = []
    write = app.ledger.write

    def counted(*arguments: Any, **more: Any) -> Any:
        try:
            return write(*arguments, **more)
        except Overtaken as overtaken:
            lost.append(overtaken)
            raise

    app.ledger.write = counted  # type: ignore[method-assign]
    return lost


def hand_out(count: int, kills: int, lease: int, where: list[str]) -> list[Json]:
    """What all agents were given."""
    victims = [Agent(f"victim {number}", where, lease) for number in range(kills)]
    agents = [*victims, *(Agent(f"agent {number}", where) for number in range(count - kills))]
    for agent in agents:
        agent.told()
    for agent in agents:
        agent.tell("a")
    told: list[Json] = []
    at_it = {agent.ear: agent for agent in agents}
    while at_it:
        for ear in select.select(list(at_it), [], [])[0]:
            found = at_it[ear].told()
            told += [one for one in found if one["id"]]
            if at_it[ear].dead or any(one["id"] is None for one in found):
                del at_it[ear]
        while victims and len(told) >= count:
            killed(victims.pop().process)
    for agent in agents[kills:]:
        killed(agent.process)
    return told


def race(count: int, rounds: int, where: list[str]) -> list[Json]:
    """What each agent was told in each round; whoever was given the task gives it back."""
    gate = multiprocessing.get_context("fork").Barrier(count)
    agents = [Agent(f"agent {number}", where, gate=gate) for number in range(count)]
    for agent in agents:
        agent.told()
    app = app_on(opened(*where))  # nobody is forked any more
    told: list[Json] = []
    for number in range(rounds):
        for agent in agents:
            agent.tell("r")
        answers = [answer for agent in agents for answer in agent.told()]
        told += [{"round": number, **answer} for answer in answers]
        for answer in answers:
            if answer["id"]:
                app.call("task_release", {"id": answer["id"], "epoch": answer["epoch"]}, caller())
    for agent in agents:
        killed(agent.process)
    return told


def main() -> None:
    what, agents, number, *rest = sys.argv[1:]
    where = rest[1:] if what == "hand-out" else rest
    for name in (*WARM, f"deedlog.store.{where[0]}"):
        import_module(name)
    if what == "hand-out":
        told = hand_out(int(agents), int(number), int(rest[0]), where)
    else:
        told = race(int(agents), int(number), where)
    for one in told:
        sys.stdout.write(json.dumps(one) + "\n")


if __name__ == "__main__":
    main()
