"""Which program npx and uvx would run, found without them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deedlog.core.gate.server import Server
from deedlog.gateway.places import Places
from deedlog.gateway.programs.installed import LOOKS_AGAIN, without_wrapper
from deedlog.gateway.programs.launch import Launch, command_of
from tests.engines.gateway.npm_registry import Registry

BIN = Path(sys.executable).parent
NAME = "@tiny/server-tiny"


class Npx:
    """A user with a home of their own, whose npx knows one registry."""

    def __init__(self, folder: Path, registry: Registry) -> None:
        self.home, self.project, self.registry = folder / "home", folder / "project", registry
        for each in (self.home, self.project):
            each.mkdir()

    def launch(self, *words: str, **env: str) -> Launch:
        path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
        found = {"HOME": str(self.home), "PATH": path, "npm_config_registry": self.registry.url, **env}
        return Launch(argv=list(words), env=found, cwd=str(self.project))

    def run(self, launch: Launch) -> list[str]:
        done = subprocess.run(
            launch.argv, env=launch.env, cwd=launch.cwd, stdin=subprocess.DEVNULL, capture_output=True, check=True
        )
        found: list[str] = json.loads(done.stdout.splitlines()[-1])
        return found

    def kept(self) -> list[Path]:
        return list((self.home / ".npm" / "_npx").iterdir())


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    with Registry() as found:
        found.publish(NAME, "1.2.3", "tiny")
        yield found


@pytest.fixture
def npx(tmp_path: Path, registry: Registry) -> Npx:
    return Npx(tmp_path, registry)


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory, registry: Registry) -> Npx:
    """One whose npx has run the package, by its name and by its version."""
    found = Npx(tmp_path_factory.mktemp("npx"), registry)
    assert found.run(found.launch("npx", "-y", NAME, "a")) == ["1.2.3", "a"]
    assert found.run(found.launch("npx", "-y", f"{NAME}@1.2.3")) == ["1.2.3"]
    return found


@pytest.mark.proves("gate:launch:direct")
@pytest.mark.parametrize("words", [("npx", "-y", NAME), ("npx", "--yes", f"{NAME}@1.2.3"), ("npx", NAME)])
def test_what_npx_has_installed_is_run_without_it_with_the_same_arguments(used: Npx, words: tuple[str, ...]) -> None:
    found = without_wrapper(used.launch(*words, "-y", "b c"))
    assert found
    assert found.argv[0].startswith(str(used.home / ".npm" / "_npx"))
    assert used.run(found) == ["1.2.3", "-y", "b c"]


@pytest.mark.proves("gate:launch:direct")
@pytest.mark.parametrize(
    "words",
    [
        ("npx", "-y", f"{NAME}@latest"),
        ("npx", "-y", f"{NAME}@^1.0.0"),
        ("npx", "-y", f"{NAME}@1.2.4"),
        ("npx", "-y", "-p", NAME, "tiny"),
        ("npx", f"--package={NAME}", "tiny"),
        ("npx", "-y", "--", NAME),
        ("npx", "-y", "@tiny/another"),
        ("npx", "-y", "../tiny"),
        ("npx", "-y", "github:tiny/server"),
        ("npx", "-y"),
        ("npx",),
        ("node", "-y", NAME),
        ("uvx",),
    ],
)
def test_whatever_is_not_plain_or_not_there_is_left_to_them(used: Npx, words: tuple[str, ...]) -> None:
    assert without_wrapper(used.launch(*words)) is None


@pytest.mark.parametrize(
    "env", [{"npm_config_prefix": "/opt"}, {"NPM_CONFIG_USERCONFIG": "/x"}, {"npm_config_cache": "/none"}, {"HOME": ""}]
)
def test_where_npm_is_told_to_look_elsewhere_it_looks_itself(used: Npx, env: dict[str, str]) -> None:
    assert without_wrapper(used.launch("npx", "-y", NAME, **env)) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", json.dumps({"dependencies": {NAME: "*"}})),
        (f"node_modules/{NAME}/package.json", "{}"),
        (".npmrc", "audit=false\ncache = /elsewhere\n"),
    ],
)
def test_a_package_of_the_project_comes_first(used: Npx, path: str, text: str) -> None:
    folder = used.project / "sub"
    file = folder / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    try:
        launch = used.launch("npx", "-y", NAME).replace(cwd=str(folder))
        assert without_wrapper(launch) is None
    finally:
        file.unlink()
        for each in (file.parent, *file.parent.parents):
            if each == used.project:
                break
            each.rmdir()


@pytest.mark.proves("gate:launch:not-in-the-project")
def test_a_repository_does_not_say_what_npx_runs_for_a_server_of_the_user(npx: Npx) -> None:
    package = npx.project / "node_modules" / NAME
    package.mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"name": NAME, "version": "6.6.6", "bin": {"tiny": "evil.js"}}))
    (package / "evil.js").write_text("#!/usr/bin/env node\nconsole.log('[\"evil\"]')\n")
    programs = npx.project / "node_modules" / ".bin"
    programs.mkdir()
    (package / "evil.js").chmod(0o755)
    (programs / "tiny").symlink_to(package / "evil.js")
    (npx.project / "package.json").write_text(json.dumps({"dependencies": {NAME: "*"}}))
    (npx.project / ".npmrc").write_text("registry=http://127.0.0.1:9/\n")
    (npx.home / ".npmrc").write_text(f"registry={npx.registry.url}\n")
    plain = npx.launch("npx")
    root, user = str(npx.project), str(npx.home / ".config" / "deedlog")
    environment = {key: value for key, value in plain.env.items() if key != "npm_config_registry"}
    places = Places(root=root, store=root, state=root, user=user, home=str(npx.home), environment=environment)
    server = Server(name="tiny", command="npx", args=["-y", NAME, "a"])
    for _ in range(2):  # by npx, and then without it
        assert npx.run(command_of(server, places, environment.get)) == ["1.2.3", "a"]
    assert npx.run(command_of(server.replace(brought=True), places, environment.get)) == ["evil"]


def test_npx_is_let_look_for_a_newer_one_every_week_but_not_for_a_certain_version(npx: Npx) -> None:
    plain, pinned = npx.launch("npx", "-y", NAME), npx.launch("npx", "-y", f"{NAME}@1.2.3")
    assert without_wrapper(plain) is None
    npx.run(plain)
    npx.run(pinned)
    long_ago = time.time() - LOOKS_AGAIN - 60
    for folder in npx.kept():
        os.utime(folder, (long_ago, long_ago))
    assert without_wrapper(plain) is None
    assert without_wrapper(pinned)
    npx.run(plain)  # it has looked
    assert without_wrapper(plain)


def test_while_npx_is_at_it_or_was_interrupted_it_is_left_to_it(npx: Npx) -> None:
    launch = npx.launch("npx", "-y", NAME)
    npx.run(launch)
    [folder] = npx.kept()
    (folder / "concurrency.lock").mkdir()
    assert without_wrapper(launch) is None
    (folder / "concurrency.lock").rmdir()
    assert without_wrapper(launch)
    (folder / "package.json").write_text('{"dependencies": {"@tiny/server-tiny": "*"}}')  # as before npx has finished
    assert without_wrapper(launch) is None
    (folder / "package.json").write_text("{")
    assert without_wrapper(launch) is None


@pytest.mark.proves("gate:launch:direct")
def test_a_tool_that_uv_has_installed_is_run_without_uvx(tmp_path: Path) -> None:
    tool = tmp_path / ".local" / "share" / "uv" / "tools" / "mcp-server-tiny"
    program = tool / "bin" / "mcp-server-tiny"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    launch = Launch(argv=["uvx", "mcp-server-tiny", "--x"], env={"HOME": str(tmp_path)}, cwd=str(tmp_path))
    assert without_wrapper(launch) is None
    (tool / "uv-receipt.toml").write_text("[tool]\n")
    found = without_wrapper(launch)
    assert found
    assert found.argv == [str(program), "--x"]
    for words in (["mcp-server-tiny@1.0.0"], ["--isolated", "mcp-server-tiny"], ["mcp-server-other"]):
        assert without_wrapper(launch.replace(argv=["uvx", *words])) is None
    assert without_wrapper(launch.replace(env={**launch.env, "UV_ISOLATED": "1"})) is None
