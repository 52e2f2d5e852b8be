"""Random histories of tasks: what is reported is what an independent reading of every byte finds.

`RANDOM_HISTORIES=5000 RANDOM_SEED=7` does more of them, and others; a failure prints the repository it is about,
and `RANDOM_SEED=7/123` plays that alone.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from deedlog.core.change import ARRIVED, DELETED, HEAD, TASK, Comparison
from deedlog.git.snapshots import GitSnapshots
from tests.engines.git.histories import INNER, SUBMODULE, History
from tests.engines.git.patches import check_patch, left_out
from tests.engines.git.repo import LETTERS, Engine, Repo, lines, sound
from tests.engines.git.steps import FOREIGN, STEPS
from tests.engines.git.walk import Seen, hidden, look, truth

COUNT = int(os.environ.get("RANDOM_HISTORIES", "300"))
SEED = os.environ.get("RANDOM_SEED", "1")
TASKS = 3  # one after the other in one repository
REPOSITORIES = [SEED] if "/" in SEED else [f"{SEED}/{number}" for number in range(-(-COUNT // TASKS))]
PARTS = 10
PATCHED = 3  # every so manieth task's patch is applied


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """Two repositories, one with a submodule: two branches that went different ways, something in every state."""
    engine = Engine(tmp_path, known=False)
    source = Repo.init(tmp_path / "source", engine)
    source.commit({"lib.c": lines("lib")})
    source.commit({"lib.c": lines("better"), "lib.h": lines("header")})
    (tmp_path / "template").mkdir()
    filled(Repo.init(tmp_path / "template/plain", engine))
    outer = Repo.init(tmp_path / "template/outer", engine)
    outer.git("submodule", "--quiet", "add", source.tree, SUBMODULE)
    filled(outer)
    return tmp_path / "template"


def filled(repo: Repo) -> None:
    repo.commit({"a.txt": lines("a"), "dir/c.txt": lines("c"), "dir/sub/e.txt": lines("e"), "top": "top\n"})
    repo.git("switch", "--quiet", "--create", "feature")
    repo.commit({"b.txt": lines("b"), "a.txt": "feature\n" + lines("a"), "x.log": "log\n"})
    repo.git("switch", "--quiet", "main")
    repo.commit({"other/g.txt": lines("g"), ".gitignore": "*.log\nbuild/\n", "dir/c.txt": lines("c") + "main\n"})
    repo.write("build/out.o", "out\n")
    repo.write("é 中.txt", "untracked\n")
    repo.append("top")
    for folder in list(repo.path.rglob("hooks")):
        shutil.rmtree(folder)


@pytest.mark.proves("track:change:random")
@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_reported_is_what_a_reading_of_every_byte_finds(tmp_path: Path, template: Path, part: int) -> None:
    for seed in REPOSITORIES[part::PARTS]:
        place = tmp_path / "place"
        history = History(seed, place / "tree", STEPS, FOREIGN)
        kind = history.chance.choice(["plain", "plain", "plain", "outer"])
        shutil.copytree(template / kind, place / "tree", symlinks=True)
        play(history, str(place / "store"))
        shutil.rmtree(place)


def play(history: History, store: str) -> None:
    """Some tasks after each other in one repository, with people at work in between."""
    engine = GitSnapshots(store)
    taken: list[str] = []
    for number in range(TASKS):
        if number:
            history.go(history.chance.randint(0, 3))
        moments = [f"{number}-{moment}" for moment in range(history.chance.choice([2, 2, 2, 3]))]
        seen: list[Seen] = []
        history.foreign = False
        for moment in moments:
            if seen:
                history.go(history.chance.randint(1, 6))
            history.tell(f"=== {moment}")
            engine = engine if history.chance.random() < 0.5 else GitSnapshots(store)
            engine.take(moment, str(history.tree))
            seen.append(look(str(history.tree)))
        compared = sound(engine.compare(str(history.tree), moments))
        taken += moments
        wrong = differences(history, seen, compared)
        if not wrong and history.chance.randrange(PATCHED) == 0:
            wrong = check_patch(history.tree.parent / "patched", seen[0], seen[-1], compared)
        assert not wrong, "\n".join([f"RANDOM_SEED={history.seed}", *history.told, *wrong])
        engine.forget(str(history.tree), [], taken)


def differences(history: History, seen: Sequence[Seen], compared: Comparison) -> list[str]:
    net, may_be_new = truth(seen[0], seen[-1])
    wrong = wrong_places(history, seen, compared, net)
    changes = {one.path: one for one in compared.changes if not one.place}
    net = {
        path: letter for path, letter in net.items() if not any(o.path == path and o.place for o in compared.changes)
    }
    wrong += [f"missing: {net[path]} {path!a}" for path in net.keys() - changes.keys()]
    for path, one in changes.items():
        letter = LETTERS[one.status]
        if one.origin == TASK and path in net:
            right = letter == net[path]
        elif one.origin == ARRIVED or not history.foreign:
            right = (path in net and letter == net[path]) or (path in may_be_new and letter == "A")
        else:  # the task changed what others had changed, perhaps back to what it was
            right = (letter == "D") == (path not in seen[-1].files)
        if not right:
            wrong.append(f"wrong: {letter} {path!a} ({one.origin}) and not {net.get(path, 'the same')}")
        if one.origin != TASK and not history.foreign:
            wrong.append(f"{path!a} came from nowhere")
        if left_out(one) and not path.startswith(INNER):  # whose contents may go with it
            wrong.append(f"{path!a}: {one.note}")
    return wrong + wrong_intervals(seen, compared, net)


def wrong_places(history: History, seen: Sequence[Seen], compared: Comparison, net: dict[str, str]) -> list[str]:
    """What only commits have: that of HEAD where nobody else was at work, and of branches that they have it."""
    found = {one.path: one for one in compared.changes if one.place}
    wrong = []
    for path, one in found.items():
        if not path.startswith((INNER, SUBMODULE)):
            there = history.git("cat-file", "-e", f"{one.place}:{path}")
            wrong += [] if there == (one.status != DELETED) else [f"wrong: {path!a} is not so on {one.place}"]
    if history.foreign:
        return wrong
    wanted, unsure = hidden(str(history.tree), seen[0], seen[-1], net)
    got = {path: LETTERS[one.status] for path, one in found.items() if one.place == HEAD}
    for path in got.keys() | wanted.keys():
        if got.get(path) != wanted.get(path) and path not in unsure and not path.startswith((INNER, SUBMODULE)):
            wrong.append(f"hidden: {got.get(path)} {path!a} and not {wanted.get(path)}")
    return wrong


def wrong_intervals(seen: Sequence[Seen], compared: Comparison, net: dict[str, str]) -> list[str]:
    """Each path that was reported stands in the intervals in which its file changed."""
    wrong = []
    for number, touched in enumerate(compared.touched):
        before, after = seen[number].files, seen[number + 1].files
        for path in {one.path for one in compared.changes if one.path in net}:
            always_shown = all(path in moment.shown or path not in moment.files for moment in seen)
            if always_shown and (path in touched) != (before.get(path) != after.get(path)):
                wrong.append(f"interval {number}: {path!a} {'is' if path in touched else 'is not'} in it")
    return wrong
