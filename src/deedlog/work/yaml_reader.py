"""YAML that comes from outside, read as plain data: what JSON could say, in YAML's spelling.

Words mean what they mean in JSON, so that `no`, `1_000` and `2024-01-15` are texts. Aliases are refused, because a
few lines of them can stand for gigabytes, and so are keys that are there twice, which would drop one silently.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any, ClassVar

import yaml
from yaml.constructor import SafeConstructor
from yaml.nodes import MappingNode, Node

from deedlog.core.errors import Invalid

NUMBER = r"-?(?:0|[1-9][0-9]*)"
MEANT = (  # what a plain word can be besides a text
    ("null", r"(?:null|~|)", ["n", "~", ""]),
    ("bool", r"(?:true|false)", ["t", "f"]),
    ("int", NUMBER, list("-0123456789")),
    ("float", rf"{NUMBER}(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", list("-0123456789")),
)
TAG = "tag:yaml.org,2002:"
PLAIN_TAGS = [TAG + name for name in ("null", "bool", "int", "float", "str", "seq", "map")]


class Refused(yaml.MarkedYAMLError):
    """What YAML has, and plain data has not."""


class Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012  # the library's table, replaced
    yaml_constructors: ClassVar[dict[Any, Any]] = {
        **{tag: SafeConstructor.yaml_constructors[tag] for tag in PLAIN_TAGS},
        None: SafeConstructor.construct_undefined,
    }

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise Refused(problem="aliases (*name) are not read here", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002
        names = set()
        for key, _ in node.value:
            name = self.construct_object(key, deep=True)
            if not isinstance(name, str):
                raise Refused(problem="a key that is no text; put it in quotes", problem_mark=key.start_mark)
            if name in names:
                raise Refused(problem=f"{name[:80]!r} is there twice", problem_mark=key.start_mark)
            names.add(name)
        return super().construct_mapping(node, deep)


for _name, _pattern, _first in MEANT:
    Loader.add_implicit_resolver(TAG + _name, re.compile(rf"{_pattern}\Z"), _first)


def loads(text: str, field: str) -> dict[str, Any]:
    """The mapping a document holds; `field` is where the text was given, for the refusal."""
    try:
        found = yaml.load(text, Loader)  # noqa: S506  # safer than the safe one
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        at = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        said = error.problem if isinstance(error, Refused) else "this is no YAML"
        raise Invalid(f"{field}: {at}{said}", data={"field": field}) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Invalid(f"{field}: this is no YAML of plain data", data={"field": field}) from error
    if not isinstance(found, dict):
        hint = "give the text itself; a command reads a file where @ stands before its name"
        raise Invalid(f"{field}: must be a mapping, `name: value` on each line", hint=hint, data={"field": field})
    return found
