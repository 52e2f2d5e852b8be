"""A module that is off offers nothing: on every face its operations are not listed, and refused by name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from deedlog.core.capability import CAPABILITIES
from deedlog.faces.mcp.refusal import MODULES
from tests.e2e.orchestra import SWITCHED, environment, listed, names, of_modules, operations
from tests.e2e.processes import HttpServer, StdioServer
from tests.e2e.workbench import DEEDLOG
from tests.faces.cli.running import Cli

OFF_EXIT_CODE = 3
each = pytest.mark.parametrize("module", [name for name in MODULES if operations(name)])
pytestmark = pytest.mark.proves("capability:off:codes")


def without(module: str) -> dict[str, str]:
    """What makes every module on but this one; it is only said to be off where it would be on by itself."""
    others = ",".join(name for name in SWITCHED if name != module)
    return {"DEEDLOG_ENABLE": others, "DEEDLOG_DISABLE": module if CAPABILITIES[module].on else ""}


def is_on(capability: str) -> bool:
    return not capability or CAPABILITIES[capability].on


def tells_what_to_do(hint: str, module: str) -> bool:
    return "switched off by" in hint if CAPABILITIES[module].on else f"--enable-{module}" in hint


@each
def test_over_mcp_its_tools_go_with_it_and_are_refused_with_its_code(repo: Path, module: str) -> None:
    tools = {op.name for op in operations(module) if op.is_tool}
    with StdioServer([DEEDLOG, "mcp", "serve"], repo, environment(**without(module))) as server:
        assert not names(listed(server)) & tools
        for name in sorted(tools):
            result = server.call(name, {})
            said = json.loads(result["content"][0]["text"])
            assert result["isError"]
            assert (said["ok"], said["code"]) == (False, MODULES[module][2])
            assert tells_what_to_do(said["hint"], module)


@pytest.mark.proves("capability:flags:all", "capability:flags:eleven")
@each
def test_its_flags_switch_its_tools_and_nothing_else(repo: Path, module: str) -> None:
    everywhere = environment(DEEDLOG_DISABLE="")
    with StdioServer([DEEDLOG, "mcp", "serve", f"--disable-{module}"], repo, everywhere) as server:
        off = names(listed(server))
    with StdioServer([DEEDLOG, "mcp", "serve", f"--enable-{module}"], repo, everywhere) as server:
        on = names(listed(server))
    assert on - off == {op.name for op in operations(module) if op.is_tool and not op.further and is_on(op.also)}
    assert off <= on


@each
def test_on_the_command_line_it_is_not_helped_with_and_refused(repo: Path, tmp_path: Path, module: str) -> None:
    (tmp_path / "home").mkdir()
    cli = Cli(repo, tmp_path / "home", **without(module))
    overview = cli.run("--help").stdout
    for op in operations(module):
        assert f" {op.words} " not in overview
        done = cli.run(*op.words.split(), "--json")
        assert (done.returncode, done.stdout) == (OFF_EXIT_CODE, "")
        said = json.loads(done.stderr)["error"]
        assert (said["kind"], tells_what_to_do(said["hint"], module)) == ("denied", True)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """A server with every module off."""
    on_by_itself = [name for name in MODULES if CAPABILITIES[name].on]
    told = environment(DEEDLOG_DISABLE=",".join(on_by_itself), DEEDLOG_TOKEN="secret")
    with HttpServer([DEEDLOG, "serve", "--port", "0"], tmp_path_factory.mktemp("bare"), told) as started:
        yield started


@pytest.mark.parametrize("name", [op.name for op in of_modules()])
def test_over_http_it_has_no_description_and_is_refused(bare: HttpServer, name: str) -> None:
    (op,) = [op for op in of_modules() if op.name == name]
    assert op.path not in bare.get("/api/openapi.json")["paths"]
    status, body = bare.post(op.path, {})
    assert (status, body["error"]["kind"]) == (403, "denied")
    assert tells_what_to_do(body["error"]["hint"], op.capability)


def test_every_capability_of_the_orchestrator_has_a_code_for_being_off() -> None:
    modules = {name for name, capability in CAPABILITIES.items() if capability.toggle}
    assert modules <= set(MODULES)
