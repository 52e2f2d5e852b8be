"""Fix the versions of the packages that the catalogue of MCP servers runs: `python -m scripts.pins`.

It asks the registries of npm and PyPI for the newest version of each package, through `npm` and `pip`, and writes that
into `catalogue.json`. A package that no registry knows stays without a version, and is named. Review the difference
before you commit it: a version that is pinned is run by everybody who approves it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from deedlog.core.gate.server import Server
from deedlog.core.gate.version import package

CATALOGUE = Path(__file__).parents[1] / "src/deedlog/gateway/configuration/catalogue.json"
VERSION = re.compile(r"\(([^)]+)\)")


def main() -> int:
    text = CATALOGUE.read_text(encoding="utf-8")
    for entry in json.loads(text)["servers"]:
        server = Server(**entry)
        name, before = package(server)
        newest = {"npx": of_npm, "uvx": of_pypi}.get(server.command, lambda _: "")(name)
        if not newest:
            if name:
                print(f"{server.name}: no registry tells a version of {name}")
            continue
        if newest != before:
            print(f"{server.name}: {name} {before or '(none)'} -> {newest}")
            text = text.replace(_written(server.args), _written(pinned(server, name, newest)), 1)
    CATALOGUE.write_text(text, encoding="utf-8")
    return 0


def pinned(server: Server, name: str, version: str) -> list[str]:
    """Its arguments with this version. Only in `--from` does uvx take `==`."""
    spec = re.compile(rf"(?P<option>--from=|)(?:{re.escape(name)})(?:(?:@|==)\S+)?")
    found: list[str] = []
    is_done = False
    for word in server.args:
        match = None if is_done else spec.fullmatch(word)
        if match is None:
            found.append(word)
            continue
        is_from = bool(match["option"]) or found[-1:] == ["--from"]
        found.append(f"{match['option']}{name}{'==' if is_from else '@'}{version}")
        is_done = True
    return found


def of_npm(name: str) -> str:
    return _output("npm", "view", name, "version").strip()


def of_pypi(name: str) -> str:
    ask = (sys.executable, "-m", "pip", "index", "versions", "--ignore-requires-python", name)
    found = VERSION.search(_output(*ask)) or VERSION.search(_output(*ask, "--pre"))
    return found[1] if found else ""


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _written(args: list[str]) -> str:
    return f'"args": {json.dumps(args, ensure_ascii=False)}'


if __name__ == "__main__":
    raise SystemExit(main())
