import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.gate.naming import LONGEST, mounted_name, mounted_names, origin, server_id, uri_of

PLAIN = re.compile("[A-Za-z0-9_-]{1,50}")
NAMES = st.one_of(
    st.text(min_size=1, max_size=80),
    st.text("ab0_-", min_size=1, max_size=12),
    st.text("ab_", min_size=40, max_size=60),
)


@pytest.mark.proves("gate:mount:names")
@pytest.mark.parametrize(
    ("server", "tool", "ours"),
    [
        ("vercel", "deploy", "vercel__deploy"),
        ("brave-search", "brave_web_search", "brave-search__brave_web_search"),
        ("my_server", "_odd", "my_server___odd"),
        ("time", "getTime", "time__getTime"),
    ],
)
def test_names_that_clients_take_are_kept(server: str, tool: str, ours: str) -> None:
    assert mounted_name(server, tool) == ours


@pytest.mark.proves("gate:mount:names")
def test_other_names_are_cut_and_end_in_a_digest_that_never_changes() -> None:
    assert mounted_name("github", "list_" * 20) == "github__list_list_list_list_list_list_list_7c7ef4"
    assert mounted_name("files", "read/file") == "files__read_file_031d51"
    assert server_id("My Server") == "My-Server_c2d9a82f6f"


@pytest.mark.proves("gate:mount:names")
@given(NAMES, NAMES)
def test_every_name_is_one_that_clients_take_with_their_own_prefix(server: str, tool: str) -> None:
    ours = mounted_name(server, tool)
    assert PLAIN.fullmatch(ours)
    assert len("mcp__deedlog__" + ours) <= 64
    assert ours.startswith(server_id(server) + "__")


@pytest.mark.proves("gate:mount:names")
@given(st.lists(st.tuples(NAMES, NAMES), min_size=2, max_size=8, unique=True))
def test_two_tools_never_share_a_name(tools: list[tuple[str, str]]) -> None:
    ours = [mounted_names(server, [tool])[tool] for server, tool in tools]
    assert len(set(ours)) == len(tools)


@given(NAMES)
def test_a_tool_that_is_called_as_another_one_was_shortened_gets_another_name(tool: str) -> None:
    shortened = mounted_name("server", tool + "!" * 60)
    assert mounted_name("server", shortened.removeprefix("server__")) != shortened


@pytest.mark.proves("gate:mount:names")
def test_digests_that_are_the_same_grow_whatever_the_order() -> None:
    tools = [f"{'a' * 60}{number}" for number in range(12_000)]  # enough that some of 24 bits are the same
    alone = {mounted_name("server", tool) for tool in tools}
    together = mounted_names("server", tools)
    assert len(alone) < len(tools)
    assert len(set(together.values())) == len(tools)
    assert all(len(ours) <= LONGEST for ours in together.values())
    assert together == mounted_names("server", reversed(tools))


@given(NAMES, NAMES)
def test_the_way_back_from_a_uri(server: str, uri: str) -> None:
    assert origin(uri_of(server, uri)) == (server_id(server), uri)


@pytest.mark.parametrize("uri", ["task://5", "mcp://", "mcp://server", "mcp://server/", "file:///mcp://a/b"])
def test_other_uris_are_ours(uri: str) -> None:
    assert origin(uri) is None
