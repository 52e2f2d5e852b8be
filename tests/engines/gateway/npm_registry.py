"""A registry of npm packages on this machine, for tests that let the real npx install one."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import unquote

PROGRAM = (
    "#!/usr/bin/env node\nconsole.log(JSON.stringify([require('./package.json').version, ...process.argv.slice(2)]))\n"
)


class Handler(BaseHTTPRequestHandler):
    server: Registry

    def do_GET(self) -> None:
        body = self.server.answer(unquote(self.path).strip("/"))
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Registry(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self._packages: dict[str, dict[str, bytes]] = {}
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def publish(self, name: str, version: str, program: str) -> None:
        """A package with one program, which prints its version and its arguments."""
        manifest = {"name": name, "version": version, "bin": {program: "run.js"}}
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w:gz") as archive:
            for path, text, mode in (("package.json", json.dumps(manifest), 0o644), ("run.js", PROGRAM, 0o755)):
                entry = tarfile.TarInfo(f"package/{path}")
                entry.size, entry.mode = len(text.encode()), mode
                archive.addfile(entry, io.BytesIO(text.encode()))
        self._packages.setdefault(name, {})[version] = data.getvalue()

    def answer(self, path: str) -> bytes:
        name, _, file = path.partition("/-/")
        versions = self._packages.get(name, {})
        if file:
            return versions[file.removesuffix(".tgz")]
        return json.dumps(self._described(name, versions)).encode() if versions else b""

    def _described(self, name: str, versions: dict[str, bytes]) -> dict[str, object]:
        found = {}
        for version, data in versions.items():
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                manifest = archive.extractfile("package/package.json")
                assert manifest
                described = json.load(manifest)
            address = {"tarball": f"{self.url}{name}/-/{version}.tgz", "shasum": hashlib.sha1(data).hexdigest()}
            found[version] = described | {"dist": address}
        return {"name": name, "dist-tags": {"latest": list(versions)[-1]}, "versions": found}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()
