"""Patterns as .gitignore has them, held against git itself.

Known differences: git compares bytes, so that its `?` and `[é]` do not match a letter outside ASCII.
"""

from __future__ import annotations

import subprocess
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deedlog.core.glob import compiled

FRESH = count()
PIECES = [
    *("a", "b", "ab", "c", ".", "-", "*", "**", "?", "/", "**/", "/**", "\\*", "\\a", "\\", "\\/", "!", "#"),
    *("[ab]", "[!a]", "[^b]", "[a-c]", "[b-a]", "[]a]", "[a-]", "[\\]a]", "[[:alpha:]]", "[[:foo:]]", "[:a]", "[a"),
]
NAMES = ["a", "b", "c", "ab", "abc", "aa", "ba", ".a", "a.b", "*", "-", "]", "a*", "[a", "z"]
patterns = st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join)
paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=5).map("/".join)


def is_plain(pattern: str) -> bool:
    """Neither a comment nor an exception, which .gitignore knows and a single pattern does not."""
    return not pattern.startswith(("#", "!"))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ignoring")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


def ignored(repository: Path, pairs: list[tuple[str, list[str]]]) -> list[list[str]]:
    """Which of the paths git ignores by each pattern: every pattern has a folder of its own."""
    folders = [f"{next(FRESH)}" for _ in pairs]
    for folder, (pattern, _) in zip(folders, pairs, strict=True):
        (repository / folder).mkdir()
        (repository / folder / ".gitignore").write_text(f"{pattern}\n")
    asked = [f"{folder}/{path}" for folder, (_, some) in zip(folders, pairs, strict=True) for path in some]
    plain = ["-c", "core.excludesFile=", "-c", "core.ignoreCase=false"]
    command = ["git", "-C", str(repository), *plain, "check-ignore", "--no-index", "-z", "--stdin"]
    found = subprocess.run(command, input="\0".join(asked).encode(), stdout=subprocess.PIPE, check=False)
    assert found.returncode in {0, 1}
    yes = set(found.stdout.decode().split("\0"))
    return [
        [path for path in some if f"{folder}/{path}" in yes] for folder, (_, some) in zip(folders, pairs, strict=True)
    ]


def covered(pairs: list[tuple[str, list[str]]]) -> list[list[str]]:
    return [[path for path in some if compiled(pattern).match(path)] for pattern, some in pairs]


@settings(max_examples=30)
@given(
    pairs=st.lists(
        st.tuples(patterns.filter(is_plain), st.lists(paths, min_size=1, max_size=8, unique=True)),
        min_size=40,
        max_size=80,
    )
)
def test_a_pattern_covers_what_git_would_ignore_by_it(repository: Path, pairs: list[tuple[str, list[str]]]) -> None:
    assert list(zip(pairs, covered(pairs), strict=True)) == list(zip(pairs, ignored(repository, pairs), strict=True))


WRITTEN = [
    ("src/auth", ["src/auth", "src/auth/a.ts", "src/auth/x/y.ts", "lib/src/auth/a.ts", "src/author/a.ts"]),
    ("src/auth/", ["src/auth", "src/auth/a.ts", "src/auth/x/y.ts"]),
    ("/auth", ["auth/a.ts", "src/auth/a.ts"]),
    ("auth/", ["auth/a.ts", "src/auth/a.ts", "src/auth", "auth.ts"]),
    ("src/*/api", ["src/v1/api/a.ts", "src/api/a.ts", "src/v1/x/api/a.ts"]),
    ("src/**/api", ["src/v1/api/a.ts", "src/api/a.ts", "src/v1/x/api/a.ts", "api/src"]),
    ("**/migrations/", ["migrations/1.py", "app/migrations/1.py", "app/migrations"]),
    ("src/**", ["src/a", "src/a/b", "src", "lib/src/a"]),
    ("src/**/", ["src/a", "src/a/b"]),
    ("*.sql", ["a.sql", "db/a.sql", "a.sql.bak", "x.sql/readme"]),
    ("docs/*.md", ["docs/a.md", "docs/guides/a.md"]),
    ("page-?.tsx", ["page-1.tsx", "src/page-2.tsx", "page-10.tsx"]),
    (".github", [".github/workflows/ci.yml", "x/.github/a"]),
    (".env*", [".env", ".env.local", "app/.env.test", "env"]),
    ("app/\\[id\\]/", ["app/[id]/page.tsx", "app/i/page.tsx"]),
    ("src**/x", ["src/x", "src/a/b/x", "srcs/x", "src"]),
]


@pytest.mark.parametrize(("pattern", "some"), WRITTEN, ids=[pattern for pattern, _ in WRITTEN])
def test_patterns_people_write_cover_what_git_would_ignore(repository: Path, pattern: str, some: list[str]) -> None:
    assert covered([(pattern, some)]) == ignored(repository, [(pattern, some)])


def test_letters_outside_ascii_are_letters() -> None:
    assert compiled("caf?.md").match("café.md")
    assert compiled("[éè]t[éè].md").match("été.md")
    assert compiled("src/認証/*.py").match("src/認証/鍵.py")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 30 + "*b", "a" * 250),
        ("**/a/" * 20 + "b", "a/" * 800 + "c"),
        ("**/*a*/" * 12 + "b", "aaaa/" * 300 + "c"),
        ("[[:alpha:]]*" * 20 + "9", "a" * 250),
    ],
)
def test_a_pattern_made_to_be_slow_is_not(pattern: str, path: str) -> None:
    assert not compiled(pattern).match(path)
