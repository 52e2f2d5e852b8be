"""No promise without a test, no id without a promise. Reads the tests' sources; runs none of them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.requirements import REQUIREMENTS, SOURCES

TESTS = Path(__file__).parent.parent
WORD = r"[a-z0-9]+(-[a-z0-9]+)*"
ID = re.compile(f"{WORD}(:{WORD}){{1,3}}")
BUILT = {requirement.id for requirement in REQUIREMENTS if requirement.later is None}
LATER = {requirement.id: requirement.later for requirement in REQUIREMENTS if requirement.later is not None}


def claims_in(source: str) -> Iterator[str]:
    """The ids named in `pytest.mark.proves(...)`, wherever it stands in a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.proves":
            assert node.args, f"line {node.lineno}: proves() names no requirement"
            for argument in node.args:
                named = ast.literal_eval(argument)
                assert isinstance(named, str), f"line {node.lineno}: an id is a string"
                yield named


def claimed() -> dict[str, str]:
    """Every id that a test claims, with the file that does."""
    return {
        name: str(path.relative_to(TESTS))
        for path in sorted(TESTS.rglob("test_*.py"))
        for name in claims_in(path.read_text())
    }


def listing(title: str, lines: Iterable[str]) -> str:
    return "\n  ".join([title, *sorted(lines)])


def test_marks_are_found_on_functions_parameters_and_whole_modules() -> None:
    source = """
import pytest
pytestmark = pytest.mark.proves("a:module")
@pytest.mark.proves("a:function", "a:second")
def test_one(): ...
@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.proves("a:parameter"))])
def test_two(x): ...
"""
    assert set(claims_in(source)) == {"a:module", "a:function", "a:second", "a:parameter"}


def test_ids_are_well_formed_and_stand_once() -> None:
    count = Counter(requirement.id for requirement in REQUIREMENTS)
    wrong = [name for name, times in count.items() if times > 1 or not ID.fullmatch(name)]
    assert not wrong, listing("ids that stand twice or are not of the form area:thing:detail:", wrong)


def test_each_requirement_is_a_sentence_with_a_known_source() -> None:
    wrong = [
        f"{requirement.id} ({requirement.source})"
        for requirement in REQUIREMENTS
        if requirement.source.split()[0] not in SOURCES or not re.fullmatch(r"[^\n]{15,250}\.", requirement.behaviour)
    ]
    assert not wrong, listing("unknown source, or not one short sentence:", wrong)


def test_every_source_is_used() -> None:
    unused = set(SOURCES) - {requirement.source.split()[0] for requirement in REQUIREMENTS}
    assert not unused, listing("sources without a requirement:", unused)


def test_no_test_claims_an_unknown_requirement() -> None:
    unknown = {name: file for name, file in claimed().items() if name not in BUILT and name not in LATER}
    assert not unknown, listing("no such requirement:", (f"{name} ({file})" for name, file in unknown.items()))


def test_every_built_requirement_is_proved_by_a_test() -> None:
    missing = BUILT - set(claimed())
    assert not missing, listing(f"{len(missing)} requirements that no test proves:", missing)


def test_what_is_proved_is_not_marked_as_later() -> None:
    early = {name: file for name, file in claimed().items() if name in LATER}
    assert not early, listing(
        "proved already, so `later` must go:", (f"{name} (issue {LATER[name]}, {file})" for name, file in early.items())
    )
