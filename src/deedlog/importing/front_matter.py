"""Markdown files that begin with YAML between two lines of dashes."""

from __future__ import annotations

from deedlog.importing.reading import Broken, Record

DASHES = "---"
MOST_CHARACTERS = 100_000


def split(text: str, path: str) -> tuple[Record, str]:
    """What the front matter says, all of it as texts, and the Markdown below it."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != DASHES:
        raise Broken(f"{path}, line 1", "has no front matter: it does not begin with ---")
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == DASHES:
            head = "\n".join(lines[1:number])
            return Record(loaded(head, path, first_line=2), f"{path}, line 1"), "\n".join(lines[number + 1 :])
    raise Broken(f"{path}, line {len(lines)}", "the front matter does not end: there is no second ---")


def loaded(text: str, path: str, first_line: int = 1) -> object:
    """What a text of YAML says: mappings, lists and texts. Nothing else is ever made of it."""
    import yaml  # costs more than starting Python, and few need it

    if len(text) > MOST_CHARACTERS:
        raise Broken(f"{path}, line {first_line}", f"the front matter has more than {MOST_CHARACTERS} characters")
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.BaseLoader)):
            raise Broken(f"{path}, line {first_line}", "the front matter refers to parts of itself")
        found = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506  # makes texts only
    except yaml.MarkedYAMLError as error:
        line = first_line + (error.problem_mark.line if error.problem_mark else 0)
        raise Broken(f"{path}, line {line}", "is not YAML") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise Broken(f"{path}, line {first_line}", "the front matter is not YAML") from error
    return {} if found in (None, "") else found
