"""What the definition of an agent may be, and how it reads outside of the store."""

from __future__ import annotations

from deedlog.core.agent import CLIENTS, COMMAND, EVERYTHING, Agent
from deedlog.core.area import Patterns
from deedlog.core.check import LONGEST as LONGEST_CHECK
from deedlog.core.check import MOST_LABEL, MOST_SECONDS
from deedlog.core.errors import Invalid
from deedlog.core.launch import check_command
from deedlog.core.page import size
from deedlog.core.slug import checked as checked_slug
from deedlog.core.words import did_you_mean
from deedlog.core.yaml import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

UNLIMITED: dict[str, list[str]] = {"read": EVERYTHING, "write": EVERYTHING, "exclude": []}
MOST_CONFIG = 10_000
ALWAYS = ("name", "description", "client", "model", "scope")


def checked(agent: Agent) -> Agent:
    """The definition, complete, or the refusal that says what is wrong with it."""
    checked_slug(agent.id, "name")
    if agent.client == "" or (agent.client == COMMAND and not agent.command):
        agent = agent.replace(client=COMMAND if agent.command else CLIENTS[0])
    _check_client(agent)
    if agent.model.startswith("-") or not agent.model.isprintable():
        raise Invalid(f"model: {agent.model[:80]!r} is no name of a model", data={"field": "model"})
    check_command(agent.command)
    if size(agent.config) > MOST_CONFIG:
        raise Invalid(f"config: takes more than {MOST_CONFIG} characters", data={"field": "config"})
    scope = {**UNLIMITED, **agent.scope}
    for name, globs in scope.items():
        check_globs(globs, f"scope.{name}")
    return agent.replace(scope=scope, checks=full_checks(agent.checks), budget=checked_budget(agent.budget))


def _check_client(agent: Agent) -> None:
    checked_slug(agent.client, "client")
    if agent.client not in CLIENTS and not agent.command:
        known = f"known: {', '.join(CLIENTS)}; any other needs a command"
        raise Invalid(
            f"client: nobody knows how to run {agent.client!r}",
            hint=did_you_mean(agent.client, CLIENTS, known),
            data={"field": "client"},
        )


def check_globs(globs: list[str], where: str) -> None:
    """Refuse what is no pattern of paths."""
    for at, glob in enumerate(globs):
        if not glob.strip() or not glob.isprintable():
            raise Invalid(
                f"{where}[{at}]: {glob[:80]!r} is no pattern of paths",
                hint="as .gitignore writes them: src/**, *.md",
                data={"field": where},
            )
    Patterns.of("", where, globs)


def full_checks(rows: list[Json]) -> list[Json]:
    """The checks in full; two of the same label would be one."""
    labels: set[str] = set()
    for at, row in enumerate(rows):
        if not 0 < len(row["label"].strip()) <= MOST_LABEL:
            where = f"checks[{at}].label"
            raise Invalid(f"{where}: must have 1 to {MOST_LABEL} characters", data={"field": where})
        if not 0 < row.get("timeout", 1) <= MOST_SECONDS:
            where = f"checks[{at}].timeout"
            raise Invalid(f"{where}: must be 1 to {MOST_SECONDS} seconds", data={"field": where})
        if row["label"] in labels:
            raise Invalid(f"checks[{at}].label: {row['label'][:80]!r} is there twice", data={"field": "checks"})
        if not row["command"] or not row["command"][0]:
            raise Invalid(f"checks[{at}].command: is empty", data={"field": "checks"})
        labels.add(row["label"])
    usual: Json = {"timeout": LONGEST_CHECK, "required": True}
    return [{"label": row["label"], "command": row["command"], **usual, **row} for row in rows]


def checked_budget(budget: dict[str, float]) -> dict[str, float]:
    """The budget, refused where it leaves nothing to use."""
    for name, most in budget.items():
        if most <= 0:
            raise Invalid(f"budget.{name}: must be more than 0", data={"field": f"budget.{name}"})
    return budget


def shown(agent: Agent) -> Json:
    """A definition as people write it. What it does not say is left out, but for what every agent has."""
    whole: Json = {
        "name": agent.name,
        "description": agent.description,
        "client": agent.client,
        "model": agent.model,
        "scope": agent.scope,
        "config": agent.config,
        "command": agent.command,
        "checks": agent.checks,
        "budget": agent.budget,
        "promptContent": agent.prompt_content,
    }
    return {name: value for name, value in whole.items() if value or name in ALWAYS}


def as_yaml(agent: Agent) -> str:
    return dumps(shown(agent))
