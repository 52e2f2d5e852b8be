"""Which packages a patch adds, however its manifests are laid out; and what they are against."""

from __future__ import annotations

import pytest

from deedlog.core.drift import packages_against
from deedlog.core.records.values import Architecture, Held
from deedlog.survey.lexicon import read
from deedlog.work.manifests import packages_added


def patch(path: str, *lines: str) -> bytes:
    head = [f"diff --git a/{path} b/{path}", f"--- a/{path}", f"+++ b/{path}", "@@ -1 +1 @@"]
    return "\n".join([*head, *lines, ""]).encode()


@pytest.mark.parametrize(
    ("path", "lines", "added"),
    [
        (
            "package.json",
            ['-{"dependencies":{"next":"15.0.0"}}', '+{"dependencies":{"next":"15.0.0","next-auth":"^5.0.0"}}'],
            {"next-auth"},
        ),
        ("web/package.json", ['+{"devDependencies": {"prisma": "6"}, "scripts": {"x": "drizzle-kit up"}}'], {"prisma"}),
        ("package.json", ['-{"dependencies":{"next":"15"}}', '+{"dependencies":{"next":"16"}}'], set()),
        (
            "package.json",
            [
                " {",
                '   "name": "a",',
                '-  "dependencies": {"a": "1"},',
                '+  "dependencies": {"a": "1", "mongoose": "8"},',
            ],
            {"mongoose"},
        ),
        ("composer.json", ['-{"require":{}}', '+{"require":{"predis/predis":"^2"}}'], {"predis/predis"}),
        (
            "Cargo.toml",
            ['-dependencies = { serde = "1" }', '+dependencies = { serde = "1", diesel = "2" }'],
            {"diesel"},
        ),
        (
            "pyproject.toml",
            [
                " [project]",
                '-dependencies = ["a"]',
                '+dependencies = ["a", "mongoengine>=0.2"]',
                '+optional-dependencies = {db = ["psycopg[binary]"]}',
            ],
            {"mongoengine", "psycopg"},
        ),
        ("package.json", ['+{"dependencies": ' + '{"a":' * 5_000, ""], set()),
    ],
)
@pytest.mark.proves("clarify:joined:contradiction")
def test_packages_are_found_in_manifests_of_any_layout(path: str, lines: list[str], added: set[str]) -> None:
    lexicon = read()
    found = packages_added(patch(path, *lines))
    assert added <= set(found)
    assert not {"next", "drizzle-kit", "a", "serde"} & set(found) - added
    assert all(name in added or not packages_against([name], DECIDED, lexicon) for name in found)


DECIDED = Architecture(
    uid="u1", areas={"Database": {"Type": Held(value="PostgreSQL", uid="u1"), "ORM": Held(value="Drizzle", uid="u1")}}
)


@pytest.mark.parametrize("package", ["mongoose", "beanie", "mongoid"])
@pytest.mark.proves("clarify:joined:contradiction")
def test_a_package_is_against_what_it_implies_too(package: str) -> None:
    found = packages_against([package], DECIDED, read())
    assert ("Database.Type", "PostgreSQL") in {(one.field, one.decided) for _, one in found}


@pytest.mark.proves("clarify:joined:contradiction")
def test_what_is_made_for_the_decided_database_is_not_against_it() -> None:
    assert packages_against(["pgvector", "pg-boss"], DECIDED, read()) == []
