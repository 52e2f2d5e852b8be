from __future__ import annotations

import pytest

from deedlog.core.gate.server import Server
from deedlog.core.gate.version import package, told

DIGEST = "sha256:" + "0" * 64


@pytest.mark.proves("gate:catalogue:pinned")
@pytest.mark.parametrize(
    ("line", "name", "version"),
    [
        ("npx -y thing", "thing", ""),
        ("npx -y thing@latest", "thing", ""),
        ("npx -y thing@^1.2", "thing", ""),
        ("npx -y thing@1", "thing", "1"),
        ("npx -y @scope/thing", "@scope/thing", ""),
        ("npx -y @scope/thing@1.2.3-beta.0 start", "@scope/thing", "1.2.3-beta.0"),
        ("npx --package=@scope/thing@1.2.3 run", "@scope/thing", "1.2.3"),
        ("/usr/bin/npx -p thing@1.2.3 run", "thing", "1.2.3"),
        ("uvx thing", "thing", ""),
        ("uvx thing@1.2.3 mcp", "thing", "1.2.3"),
        ("uvx thing==1.2.3", "thing", "1.2.3"),
        ("uvx --from=thing==1.2 run", "thing", "1.2"),
        ("uvx --from thing>=1.2 run", "thing>=1.2", ""),
        ("uvx --from git+https://example.org/x run", "git+https://example.org/x", ""),
        ("docker run -i --rm house/thing", "house/thing", ""),
        ("docker run -i --rm house/thing:latest", "house/thing", ""),
        ("docker run -i -e KEY --rm house/thing:1.2", "house/thing", "1.2"),
        (f"docker run -i house/thing@{DIGEST}", "house/thing", DIGEST),
        ("docker mcp gateway run", "", ""),
        ("dart mcp-server", "", ""),
    ],
)
def test_the_package_and_its_version_are_read_from_the_command(line: str, name: str, version: str) -> None:
    command, *args = line.split()
    assert package(Server(name="x", command=command, args=args)) == (name, version)


def test_a_person_reads_whether_the_version_is_fixed() -> None:
    assert told(Server(name="x", command="npx", args=["-y", "a@1.0.0"])) == "a 1.0.0"
    newest = told(Server(name="x", command="npx", args=["-y", "a@latest"]))
    assert newest == "not fixed: the newest a is downloaded at each start"
    assert told(Server(name="x", command="dart", args=["mcp"])).endswith("dart runs as it is installed on this machine")
    assert "elsewhere" in told(Server(name="x", transport="http", url="https://a.example"))
