"""What a session must not see is not in its tree, and git takes no notice of that."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from deedlog.core.glob import compiled
from tests.engines.git.worktrees.sessions import FILES, Place, merge

ODD = (
    "a b.env", "-x.env", "!bang.env", "#hash.env", 'q"uote.env', "it's.env", "new\nline.env", "tab\tthere.env",
    "trail ", "trail  ", "x\\y.env", "st*r.env", "q?.env", "br[a]cket.env", "é.env", "日本.txt", "deep/é/x.pem",
    "cr\r", "src/secrets/a", "secrets", "lib/secrets.txt", "Secrets/A.PEM", "deep/#x", "deep/!y", "~", "a:b",
    "caf\udce9.env",
)  # fmt: skip
GLOBS = (
    "**/*.env", "**/secrets/**", "*.pem", "secrets/", "/secrets", "src/**", "a b.env", "!bang.env", "#hash.env",
    'q"uote.env', "it's.env", "new\nline.env", "new[\n]line.env", "new\\\nline.env", "trail ", "trail  ", "trail\\ ",
    "x\\\\y.env", "st\\*r.env", "q?.env", "q\\?.env", "br\\[a\\]cket.env", "br[a]cket.env", "?.env", "??.env",
    "?é.env", "[é].env", "[^a].env", "??.txt", "日*.txt", "deep/*/x.pem", "cr\r", "cr\\\r", "-x.env", "*", "**",
    "/**", "*/", "**/", "/", "", "//", "a//b", "[", "x\\", "deep/#x", "deep/!y", "~", "[[:upper:]]*", "s*e*c*r*e*t*s",
    "\\!bang.env", "\\#hash.env", "src", "/src/*.env", "*.ENV", "***", "a**b", "[!a-y]*", "tab\tthere.env",
)  # fmt: skip


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A repository with many odd names; trees of it are made and removed again."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        (home / ".gitconfig").write_text("[user]\nname = T\nemail = t@example.invalid\n[init]\ndefaultBranch = main\n")
        patch.setenv("HOME", str(home))
        place = Place.init(tmp_path_factory.mktemp("odd") / "place")
        for name in ODD:
            if not (place.repo.path / name).exists():
                place.repo.write(name, "text\n")
        place.repo.commit()
    return place


def left_out(place: Place, *globs: str) -> set[str]:
    """The paths that are in the branch and not in the tree."""
    session = place.make("t", exclude=globs)
    try:
        assert session.changed() == ""
        assert place.repo.git("status", "--porcelain") == ""
        tracked = {name for name in session.git("ls-files", "-z").split("\0") if name}
        return {name for name in tracked if not Path(session.path, name).is_file()}
    finally:
        session.remove()


def meant(place: Place, *globs: str) -> set[str]:
    tracked = [name for name in place.repo.git("ls-files", "-z").split("\0") if name]
    return {name for name in tracked if any(compiled(glob).match(name) for glob in globs)}


@pytest.mark.proves("worker:scope:exclude")
def test_what_matches_is_absent_and_all_else_is_there(place: Place) -> None:
    session = place.make(exclude=("**/*.env", "**/secrets/**", "*.pem"))
    assert set(session.on_disk()) == {"a.py", "b.py", "src/c.py", "CLAUDE.md"}
    assert session.changed() == ""
    assert session.dirty() == []


@pytest.mark.parametrize("glob", GLOBS)
def test_a_glob_means_what_it_means_everywhere(odd: Place, glob: str) -> None:
    assert left_out(odd, glob) == meant(odd, glob)


def test_random_globs_mean_what_they_mean_everywhere(odd: Place) -> None:
    chance = random.Random(4)
    letters = ["a", "e", "n", "v", "s", ".", "/", "*", "**", "?", "é", " ", "\n", "!", "#", "\\", "[", "]", "-", ".env"]
    for _ in range(60):
        globs = [
            "".join(chance.choices(letters, k=chance.randint(1, 6))) if chance.random() < 0.5 else chance.choice(ODD)
            for _ in range(chance.randint(1, 3))
        ]
        assert left_out(odd, *globs) == meant(odd, *globs), globs


def test_what_arrives_later_is_left_out_too(place: Place) -> None:
    session = place.make(exclude=("**/*.env",))
    place.repo.commit({"prod.env": "secret\n", ".env": "changed\n", "other.py": "1\n"})
    session.git("merge", "--quiet", "main")
    assert {"prod.env", ".env"}.isdisjoint(session.on_disk())
    assert "other.py" in session.on_disk()
    assert session.changed() == ""


def test_a_commit_does_not_take_out_what_is_left_out(place: Place) -> None:
    session = place.make(exclude=("**/*.env",))
    session.append("a.py")
    place.trees.commit(session.tree, "work")
    assert set(place.files(session.branch)) == set(FILES)
    merge(place.trees, session.branch, session.base, "main", "squash", "work")
    assert set(place.files()) == set(FILES)
    assert set(FILES) <= {str(path.relative_to(place.repo.path)) for path in place.repo.path.rglob("*")}


def test_what_somebody_writes_there_all_the_same_is_seen_and_not_lost(place: Place) -> None:
    session = place.make(exclude=("**/*.env",))
    session.write(".env", "mine\n")
    session.write("new.env", "mine\n")
    assert session.dirty() == [".env", "new.env"]
    place.trees.commit(session.tree, "work")
    assert session.dirty() == []
    assert place.files(session.branch)[".env"] == place.files(session.branch)["new.env"] == "mine\n"
