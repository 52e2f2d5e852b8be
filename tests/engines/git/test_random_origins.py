"""Random work on branches with other people at work: whose each change is can be read in the files.

Everybody writes in sections of files that are theirs alone, so that git can merge what they do. `RANDOM_HISTORIES`
and `RANDOM_SEED` are those of `test_random_histories`.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from deedlog.core.change import ARRIVED, MIXED, TASK
from deedlog.git.snapshots import GitSnapshots
from tests.engines.git.repo import Engine, Repo, sound
from tests.engines.git.walk import Seen, look

SEED = os.environ.get("RANDOM_SEED", "1")
COUNT = int(os.environ.get("RANDOM_HISTORIES", "300")) // 10
REPOSITORIES = [SEED] if "/" in SEED else [f"{SEED}/{number}" for number in range(COUNT)]
PARTS = 5
FILES = ["a.ts", "b.ts", "src/c.ts", "src/d.ts"]
SECTIONS = ["task0", "task1", "feature", "other"]
BRANCHES = ["main", "feature", "work"]


def text(marks: dict[str, str]) -> str:
    """A line for each section, far enough from each other for git."""
    return "".join(f"{section}: {marks.get(section, '-')}\n" + "same\n" * 6 for section in SECTIONS)


def marks_of(content: bytes) -> dict[str, str]:
    rows = [row.split(": ", 1) for row in content.decode().splitlines() if ": " in row]
    return {row[0]: row[1] for row in rows}


class Story:
    """One repository, a task at work in it, and a colleague it pulls from."""

    def __init__(self, seed: str, repo: Repo, other: Repo) -> None:
        self.chance = random.Random(seed)
        self.repo = repo
        self.other = other
        self.author = "task0"
        self.told = [f"RANDOM_SEED={seed}"]
        self.count = 0

    def git(self, *arguments: str) -> None:
        said = self.repo.git(*arguments, check=False)
        self.told.append(f"git {' '.join(arguments)} {said.strip()[-60:]!a}")

    def mark(self, repo: Repo, author: str) -> None:
        """Write in one's own section of a file, or a new file."""
        self.count += 1
        places = [name for name in FILES if (repo.path / name).exists()]
        if not places or self.chance.random() < 0.3:
            repo.write(f"{author}/{self.count}.ts", text({author: f"{self.count}"}))
            self.told.append(f"{author} makes {author}/{self.count}.ts in {repo.path.name}")
            return
        place = self.chance.choice(places)
        content = repo.read(place)
        if b"<<<<<<<" not in content:
            repo.write(place, text({**marks_of(content), author: f"{self.count}"}))
            self.told.append(f"{author} writes {self.count} into {place} in {repo.path.name}")

    def colleague(self) -> None:
        self.mark(self.other, "other")
        self.other.commit()

    def step(self) -> None:
        self.chance.choice(STEPS)(self)
        # nothing half done stays: whose a conflict is depends on who solves it
        for name, command in (("MERGE_HEAD", "merge"), ("rebase-merge", "rebase"), ("rebase-apply", "rebase")):
            if (self.repo.path / ".git" / name).exists():
                self.git(command, "--abort")


def mark(story: Story) -> None:
    story.mark(story.repo, story.author)


def commit(story: Story) -> None:
    story.git("add", "--all")
    story.git("commit", "--quiet", "--message=work")


def commit_and_think_again(story: Story) -> None:
    """Not about others' commits: two versions of one are in conflict wherever they meet."""
    before = story.repo.head()
    commit(story)
    if story.repo.head() != before:
        undo = ["reset", "--quiet", story.chance.choice(["--soft", "--mixed"]), "HEAD~1"]
        story.git(*story.chance.choice([undo, ["commit", "--quiet", "--amend", "--message=amended"]]))


def switch(story: Story) -> None:
    story.git("switch", "--quiet", story.chance.choice(BRANCHES))


def branch(story: Story) -> None:
    story.git("switch", "--quiet", "--create", "work")


def merge(story: Story) -> None:
    how = story.chance.choice([["--no-ff"], []])
    story.git("merge", "--quiet", "--no-edit", *how, story.chance.choice(BRANCHES))


def rebase(story: Story) -> None:
    story.git("rebase", "--quiet", story.chance.choice(BRANCHES))


def pull(story: Story) -> None:
    story.colleague()
    story.git("pull", "--quiet", "--no-edit", *story.chance.choice([[], ["--rebase"], ["--no-ff"]]), "origin", "main")


def fetch_and_reset(story: Story) -> None:
    story.colleague()  # going back to what was there before would take work away
    story.git("stash", "push", "--quiet")
    story.git("fetch", "--quiet", "origin")
    story.git("reset", "--quiet", "--hard", "origin/main")
    story.git("stash", "drop", "--quiet")


def fetch_and_merge(story: Story) -> None:
    story.colleague()
    story.git("fetch", "--quiet", "origin")
    story.git("merge", "--quiet", "--no-edit", "origin/main")


def over_a_stash(story: Story) -> None:
    story.git("stash", "push", "--quiet", "--include-untracked")
    pull(story)
    story.git("stash", "pop", "--quiet")
    if story.repo.git("ls-files", "--unmerged"):
        story.git("reset", "--quiet", "--hard")


def visit(story: Story) -> None:
    switch(story)
    story.git("switch", "--quiet", "-")


Step = Callable[[Story], None]
STEPS: list[Step] = [
    *[mark] * 5, *[commit] * 4, *[commit_and_think_again] * 2, *[switch] * 2, branch, *[merge] * 3, *[rebase] * 2,
    *[pull] * 2, fetch_and_reset, fetch_and_merge, over_a_stash, visit,
]  # fmt: skip


def whose(author: str, before: Seen, after: Seen) -> dict[str, str]:
    """Each path that differs, by whom."""
    found = {}
    for path in before.files.keys() | after.files.keys():
        old, new = before.files.get(path), after.files.get(path)
        if old == new:
            continue
        first, last = marks_of(old.content if old else b""), marks_of(new.content if new else b"")
        if new is None:
            found[path] = ARRIVED  # nobody deletes: it is not on the branch one is on
            continue
        mine = last[author] != first.get(author, "-")
        created = old is None and not path.startswith(f"{author}/")
        theirs = created or any(last[name] != first.get(name, "-") for name in SECTIONS if name != author)
        found[path] = MIXED if mine and theirs else TASK if mine else ARRIVED
    return found


def left_on(story: Story, since: int, after: Seen) -> dict[str, set[str]]:
    """Where the disk has nothing that the author wrote since, the branches that have it."""
    found: dict[str, set[str]] = {}
    for branch in story.repo.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split():
        for path in story.repo.git("ls-tree", "-r", "--name-only", branch).split():
            there = marks_of(story.repo.git("show", f"{branch}:{path}").encode())
            here = marks_of(after.files[path].content if path in after.files else b"")
            if is_since(there, story.author, since) and not is_since(here, story.author, since):
                found.setdefault(path, set()).add(branch)
    return found


def is_since(marks: dict[str, str], author: str, since: int) -> bool:
    return int(marks.get(author, "-").replace("-", "0")) > since


@pytest.fixture
def template(tmp_path: Path) -> Path:
    place = tmp_path / "template"
    place.mkdir()
    repo = Repo.init(place / "repo", Engine(place, known=False))
    repo.commit({"README.md": "so that nobody amends the first commit\n"})
    repo.commit({name: text({}) for name in FILES})
    repo.git("switch", "--quiet", "--create", "feature")
    repo.commit({"a.ts": text({"feature": "0"}), "feature/0.ts": text({"feature": "0"})})
    repo.git("switch", "--quiet", "main")
    repo.clone("other")
    for folder in place.rglob("hooks"):
        shutil.rmtree(folder)
    return place


@pytest.mark.proves("track:change:arrived", "track:change:random")
@pytest.mark.parametrize("part", range(PARTS))
def test_whose_each_change_is(tmp_path: Path, template: Path, part: int) -> None:
    for seed in REPOSITORIES[part::PARTS]:
        place = tmp_path / "place"
        shutil.copytree(template, place)
        engine = Engine(place, known=False)
        tell(Story(seed, Repo(place / "repo", engine), Repo(place / "other", engine)))
        shutil.rmtree(place)


def tell(story: Story) -> None:
    tree = story.repo.tree
    engine = GitSnapshots(story.repo.engine.store)
    for author in ("task0", "task1"):
        commit(story)  # what is not committed belongs to nobody once it is moved about
        story.author = author
        story.told.append(f"=== {author}")
        engine.take(f"{author}-start", tree)
        before, since = look(tree), story.count
        for _ in range(story.chance.randint(2, 9)):
            story.step()
        engine.take(f"{author}-end", tree)
        compared = sound(engine.compare(tree, [f"{author}-start", f"{author}-end"]))
        after = look(tree)
        left = left_on(story, since, after)
        wanted: dict[str, object] = {**whose(author, before, after), **left}
        found: dict[str, object] = {one.path: one.origin for one in compared.changes}
        found |= {
            one.path: one.place in left.get(one.path, ()) and left[one.path] for one in compared.changes if one.place
        }
        wrong = [
            f"{path}: {found.get(path)} and not {wanted.get(path)}"
            for path in sorted(found.keys() | wanted.keys())
            if found.get(path) != wanted.get(path)
        ]
        assert not wrong, "\n".join([*story.told, *wrong])
        engine.forget(tree, [], [f"{author}-start", f"{author}-end"])
