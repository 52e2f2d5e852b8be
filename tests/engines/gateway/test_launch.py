from __future__ import annotations

import os
from pathlib import Path
from stat import S_IMODE

import pytest

from deedlog.core.errors import Unavailable
from deedlog.core.gate.server import Server
from deedlog.gateway.places import Places
from deedlog.gateway.programs.launch import Launch, command_of, passed_on
from deedlog.gateway.programs.stdio import StdioChannel
from deedlog.ports import Silent
from tests.engines.gateway.stub_server import stub
from tests.engines.gateway.talking import SECONDS, Channels, call

OURS = {
    "PATH": os.environ["PATH"],
    "HOME": "/people/someone",
    "LANG": "de_DE.UTF-8",
    "LC_ALL": "de_DE.UTF-8",
    "HTTPS_PROXY": "http://proxy",
    "SSL_CERT_FILE": "/certificates",
    "npm_config_registry": "http://127.0.0.1/npm",
    "UV_INDEX_URL": "http://127.0.0.1/pypi",
    "NODE_EXTRA_CA_CERTS": "/certificates",
    "XDG_CONFIG_HOME": "/people/someone/.config",
}
SECRETS = {
    "GITHUB_TOKEN": "gh-1",
    "AWS_SECRET_ACCESS_KEY": "aws-1",
    "ANTHROPIC_API_KEY": "sk-1",
    "DATABASE_URL": "postgres://u:p@h/d",
    "NODE_AUTH_TOKEN": "npm-1",
    "NPM_CONFIG__AUTH": "npm-2",
    "npm_config_//host/:_authToken": "npm-3",
    "UV_PUBLISH_PASSWORD": "uv-1",
    "UV_INDEX_PRIVATE_USERNAME": "uv-2",
    "PIP_INDEX_URL": "https://user:word@host/simple",
    "DEEDLOG_TOKEN": "d-1",
}


def places(root: Path) -> Places:
    text = str(root)
    user = str(root / "user")
    return Places(root=text, store=text, state=text, user=user, home="/people/someone", environment=OURS | SECRETS)


def launched(root: Path, server: Server) -> Launch:
    found = places(root)
    return command_of(server, found, found.environment.get)


def test_a_server_gets_what_any_program_needs_and_none_of_our_secrets() -> None:
    assert passed_on(OURS | SECRETS) == OURS
    with_password = {"HTTPS_PROXY": "http://corp:secret@proxy:8080/", "all_proxy": "corp:secret@proxy:1080"}
    assert passed_on(with_password) == {"HTTPS_PROXY": "http://proxy:8080/", "all_proxy": "proxy:1080"}


@pytest.mark.proves("gate:secret:only-its-server")
def test_a_secret_reaches_only_the_server_that_needs_it(tmp_path: Path, channels: Channels) -> None:
    needs = Server(name="a", command="x", env={"TOKEN": "${GITHUB_TOKEN}", "MODE": "read"}, required=["DATABASE_URL"])
    env = launched(tmp_path, needs).env
    assert env == OURS | {"TOKEN": "gh-1", "MODE": "read", "DATABASE_URL": "postgres://u:p@h/d"}

    [program, *args] = stub()
    launch = launched(tmp_path, Server(name="b", command=program, args=args, env={"KEY": "$ANTHROPIC_API_KEY"}))
    conversation = channels.talk()
    conversation._channel = channels.channel = StdioChannel(launch.argv, launch.env, launch.cwd)
    conversation._questions._channel = channels.channel
    conversation.open(SECONDS)
    seen = call(conversation, "environment", Silent())["structuredContent"]["env"]
    assert seen["KEY"] == "sk-1"
    assert not [value for key, value in SECRETS.items() if key != "ANTHROPIC_API_KEY" and value in seen.values()]


def test_references_are_resolved_in_command_arguments_and_folder(tmp_path: Path) -> None:
    server = Server(
        name="a",
        command="${HOME}/bin/server",
        args=["--token=${GITHUB_TOKEN}", "$GITHUB_TOKEN", "${NONE:-other}", "costs $5"],
        cwd="${HOME}/work",
    )
    launch = launched(tmp_path, server)
    assert launch.argv == ["/people/someone/bin/server", "--token=gh-1", "gh-1", "other", "costs $5"]
    assert launch.cwd == "/people/someone/work"


@pytest.mark.parametrize(
    ("command", "cwd", "program", "folder"),
    [
        ("./bin/server", "sub", "{root}/./bin/server", "{root}/sub"),
        ("~/bin/server", "~", "/people/someone/bin/server", "/people/someone"),
        ("/opt/server", "/srv", "/opt/server", "/srv"),
    ],
)
def test_paths_are_seen_from_the_project(tmp_path: Path, command: str, cwd: str, program: str, folder: str) -> None:
    launch = launched(tmp_path, Server(name="a", command=command, cwd=cwd))
    assert launch.argv == [program.format(root=tmp_path)]
    assert launch.cwd == folder.format(root=tmp_path)


def test_what_the_repository_brings_runs_in_the_project(tmp_path: Path) -> None:
    launch = launched(tmp_path, Server(name="a", command="node", args=["x.js", "./y"], brought=True))
    assert (launch.cwd, launch.argv) == (str(tmp_path), ["node", "x.js", "./y"])


@pytest.mark.proves("gate:launch:not-in-the-project")
def test_what_the_user_has_runs_in_a_private_folder_of_its_own(tmp_path: Path) -> None:
    launch = launched(tmp_path, Server(name="a", command="npx"))
    assert launch.cwd == str(tmp_path / "user" / "running" / "a")
    assert os.listdir(launch.cwd) == []
    assert S_IMODE(os.stat(launch.cwd).st_mode) == 0o700
    assert launched(tmp_path, Server(name="b", command="npx")).cwd != launch.cwd
    assert launched(tmp_path, Server(name="a", command="npx")).cwd == launch.cwd


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "user").write_text("")
    with pytest.raises(Unavailable, match="cannot be made"):
        launched(tmp_path, Server(name="a", command="npx"))


@pytest.mark.parametrize(
    ("words", "args"),
    [
        (["npx", "-y", "files", "."], ["-y", "files", "{root}"]),
        (["npx", "-y", "files", "./sub", "../b", ".."], ["-y", "files", "{root}/sub", "{above}/b", "{above}"]),
        (["run", "--dir=./sub", "--dir=.", "-C", ".hidden"], ["--dir={root}/sub", "--dir={root}", "-C", ".hidden"]),
        (["node", "--flag", "server.js", "other.js"], ["--flag", "{root}/server.js", "other.js"]),
        (["python3.12", "-u", "server.js"], ["-u", "{root}/server.js"]),
        (["/usr/bin/node", "server.js"], ["{root}/server.js"]),
    ],
)
def test_relative_paths_of_the_user_are_seen_from_the_project(
    tmp_path: Path, words: list[str], args: list[str]
) -> None:
    (tmp_path / "server.js").touch()
    launch = launched(tmp_path, Server(name="a", command=words[0], args=words[1:]))
    assert launch.argv[1:] == [arg.format(root=tmp_path, above=tmp_path.parent) for arg in args]


@pytest.mark.proves("gate:launch:not-in-the-project")
@pytest.mark.parametrize(
    "words",
    [
        ["npx", "-y", "@stripe/mcp"],
        ["uvx", "server.js"],
        ["uv", "--directory", "/mine", "run", "server.js"],
        ["python3", "-m", "server.js"],
    ],
)
def test_a_file_of_the_repository_is_never_taken_for_a_package(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "@stripe").mkdir()
    for name in ("@stripe/mcp", "server.js"):
        (tmp_path / name).touch()
    assert launched(tmp_path, Server(name="a", command=words[0], args=words[1:])).argv == words


def test_what_is_installed_is_run_directly_unless_that_is_switched_off(tmp_path: Path) -> None:
    program = tmp_path / ".local" / "share" / "uv" / "tools" / "tiny" / "bin" / "tiny"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (program.parent.parent / "uv-receipt.toml").touch()
    found = places(tmp_path).replace(environment={"HOME": str(tmp_path), "PATH": "/bin"})
    server = Server(name="a", command="uvx", args=["tiny", "x"])
    assert command_of(server, found, found.environment.get).argv == [str(program), "x"]
    assert command_of(server, found, found.environment.get, direct=False).argv == ["uvx", "tiny", "x"]
