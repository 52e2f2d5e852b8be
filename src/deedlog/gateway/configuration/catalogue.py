"""The servers that Deedlog knows by itself, from `catalogue.json`, read when they are first asked for."""

from __future__ import annotations

import json

from deedlog.core.gate.server import Server

FILE = __file__.removesuffix(".py") + ".json"

_servers: list[Server] = []


def servers() -> list[Server]:
    """All of them, in the order of their categories."""
    if not _servers:
        with open(FILE, encoding="utf-8") as file:
            _servers[:] = [Server(**entry) for entry in json.load(file)["servers"]]
    return list(_servers)
