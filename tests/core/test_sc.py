from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core import sc
from deedlog.core.sc import Address, in_text_order, parsed


@given(st.integers(0, 3_000), st.text("0123456789@x", max_size=5))
def test_numbers_come_in_the_order_of_their_texts(most: int, after: str) -> None:
    expected = [text for text in sorted(map(str, range(1, most + 1))) if text > after]
    assert [str(number) for number in in_text_order(most, after)] == expected


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        (sc.uri_of_graph("a-b"), Address(kind="graph", name="a-b")),
        (sc.uri_of_graph("a-b", 12), Address(kind="graph_version", name="a-b", version=12)),
        (sc.uri_of_snapshot("g", "tx-1"), Address(kind="snapshot", name="g", tx="tx-1")),
        (sc.uri_of_run("run_123"), Address(kind="run_events", name="run_123")),
        (sc.uri_of_child(12), Address(kind="child_logs", name="session-12")),
        ("sc://children/12/logs", Address(kind="child_logs", name="12")),
        (sc.uri_of_namespace("a space"), Address(kind="blackboard_namespace", name="a space")),
    ],
)
def test_an_address_is_read_as_it_was_written(uri: str, address: Address) -> None:
    assert parsed(uri) == address


@pytest.mark.parametrize(
    "uri", ["", "sc://", "sc://graphs", "sc://graphs/a@v", "sc://graphs/a@v00", "sc://runs/a/b", "x"]
)
def test_what_is_no_address_is_none(uri: str) -> None:
    assert parsed(uri) is None
