"""What holds for the repository as a whole: a rule is a failing test or it is not a rule."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from deedlog.core.kinds import KINDS

ROOT = Path(__file__).parent.parent.parent
TRACKED = [
    ROOT / name
    for name in subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    if name and (ROOT / name).is_file()
]
PROSE = [path for path in TRACKED if path.suffix == ".md" and "data" not in path.parts]  # those are not ours
HOSTS = re.compile(r"https?://(?:[\w.-]*\.)?(?:pypi\.org|pythonhosted\.org|npmjs\.org|npmjs\.com|debian\.org)")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"`((?:src|tests|docs|scripts|benchmarks|requirements)/[\w./-]+)`")
MACHINE = re.compile(r"(?<![\w.])/(?:work|farm|root|home/\w+)/")


def text(path: Path) -> str:
    return path.read_text(errors="ignore")


@pytest.mark.proves("operation:modules:small")
@pytest.mark.parametrize(("folder", "most"), [("src", 500), ("tests", 600), ("benchmarks", 500), ("scripts", 500)])
def test_no_module_grows_too_long(folder: str, most: int) -> None:
    modules = [path for path in TRACKED if path.suffix == ".py" and path.is_relative_to(ROOT / folder)]
    assert modules
    assert [
        f"{path.relative_to(ROOT)}: {len(text(path).splitlines())}"
        for path in modules
        if len(text(path).splitlines()) > most
    ] == []


OF_USERS = ("docs/adr/", "docs/archive/", "docs/CURRENT_TASK.md", "docs/ARCHITECTURE_STATE.md", "docs/AGENT_PROMPT.md")


def test_the_readme_is_short() -> None:
    assert len(text(ROOT / "README.md").splitlines()) <= 120


def test_nothing_names_a_registry_or_a_machine() -> None:
    here = Path(__file__)
    found = [path for path in TRACKED if path != here and (HOSTS.search(text(path)) or MACHINE.search(text(path)))]
    assert [str(path.relative_to(ROOT)) for path in found] == []


def test_every_path_and_link_in_the_documents_exists() -> None:
    missing = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PROSE
        for base, pattern in ((page.parent, LINK), (ROOT, PATH))
        for target in pattern.findall(text(page))
        if "://" not in target and not target.startswith(OF_USERS) and not (base / target).exists()
    ]
    assert missing == []


def test_decisions_are_numbered_once_and_say_what_would_change_them() -> None:
    pages = sorted(path for path in (ROOT / "docs/decisions").glob("*.md") if path.name != "README.md")
    assert pages
    assert [page.name[:4] for page in pages] == [f"{number:04d}" for number in range(1, len(pages) + 1)]
    for page in pages:
        for heading in ("## Context", "## Decision", "## Consequences", "## What would change our mind"):
            assert heading in text(page), f"{page.name} lacks {heading}"


def test_every_word_of_the_model_is_in_the_glossary() -> None:
    glossary = text(ROOT / "docs/glossary.md")
    words = ["op", "event", "capability", "operation", "actor", *KINDS]
    assert [word for word in words if f"**{word}**" not in glossary] == []


def test_changelog_fragments_are_named_for_their_kind() -> None:
    for path in (ROOT / "changelog.d").glob("*.md"):
        assert re.fullmatch(r"[\w-]+\.(breaking|deprecated|added|fixed)\.md", path.name) or path.name == "README.md"


@pytest.mark.proves("process:argv:only")
def test_nothing_runs_through_a_shell() -> None:
    shell = re.compile(r"shell=True|os\.system\(|os\.popen\(")
    code = [path for path in TRACKED if path.is_relative_to(ROOT / "src") and path.suffix == ".py"]
    assert [str(path.relative_to(ROOT)) for path in code if shell.search(text(path))] == []
