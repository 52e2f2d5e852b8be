from __future__ import annotations

from deedlog.core.records.graph import dot, graph_of, mermaid
from deedlog.core.records.uid import uid_at
from deedlog.core.records.values import Adr, Change

ONE, TWO, THREE = (uid_at(number * 1000, number) for number in (1, 2, 3))
EVIL = 'x"]; evil -->|"y"| z\n} digraph { <script>'


def adrs() -> list[Adr]:
    change = Change(area="Database", field="Type", value="MySQL", was=EVIL, was_uid=ONE, over=[TWO])
    return [
        Adr(uid=ONE, title=EVIL, path="docs/adr/one.md", changes=[Change(area="Database", field="Type", value=EVIL)]),
        Adr(uid=THREE, title="three", path="docs/adr/three.md", changes=[change]),
    ]


def test_each_field_that_was_taken_over_is_an_edge_from_the_newer_to_the_older() -> None:
    nodes, edges = graph_of(adrs())
    assert [node["uid"] for node in nodes] == [ONE, THREE]
    assert [(edge["from"], edge["to"], edge["field"]) for edge in edges] == [
        (THREE, ONE, "Database.Type"),
        (THREE, TWO, "Database.Type"),
    ]


def test_no_title_breaks_out_of_a_drawing() -> None:
    drawn = mermaid(*graph_of(adrs())).splitlines()
    assert drawn[0] == "flowchart TD"
    assert len(drawn) == 5
    assert all(line.count('"') == 2 for line in drawn[1:])
    assert "<" not in "".join(drawn)
    drawn = dot(*graph_of(adrs())).splitlines()
    assert (drawn[0], drawn[-1], len(drawn)) == ("digraph decisions {", "}", 6)
    assert all(line.replace('\\"', "").count('"') == 2 for line in drawn[1:-1])
