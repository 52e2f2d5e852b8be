from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

DEEDLOG = [sys.executable, "-m", "deedlog"]


def deedlog(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*DEEDLOG, *words], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def workflow_id(repo: Path) -> str:
    made = deedlog(repo, "workflow", "start", "Move to JWT", "--json")
    return str(json.loads(made.stdout)["workflow_id"])


@pytest.mark.proves("page:export:html")
def test_the_report_is_written_as_a_file_that_is_not_overwritten(repo: Path, workflow_id: str) -> None:
    done = deedlog(repo, "workflow", "html", workflow_id)
    assert done.returncode == 0, done.stderr
    file = repo / f"deedlog-{workflow_id}.html"
    assert done.stdout.strip() == str(file.resolve())
    assert "<h1>Move to JWT</h1>" in file.read_text()
    again = deedlog(repo, "workflow", "html", workflow_id)
    assert again.returncode != 0
    assert "exists already" in again.stderr
    assert deedlog(repo, "workflow", "html", workflow_id, "--force").returncode == 0


def test_it_goes_to_standard_output_or_to_a_file_that_is_named(repo: Path, workflow_id: str) -> None:
    assert deedlog(repo, "workflow", "html", workflow_id, "--file", "-").stdout.startswith("<!doctype html>")
    assert deedlog(repo, "workflow", "html", workflow_id, "--file", "out.html").returncode == 0
    assert (repo / "out.html").is_file()
    refused = deedlog(repo, "workflow", "html", workflow_id, "--file", "nowhere/out.html")
    assert "there is no folder" in refused.stderr


def test_a_workflow_that_is_not_there_leaves_no_file(repo: Path, workflow_id: str) -> None:
    refused = deedlog(repo, "workflow", "html", "wf-nope", "--file", "out.html")
    assert refused.returncode != 0
    assert not (repo / "out.html").exists()
    assert workflow_id


def test_markdown_is_printed(repo: Path, workflow_id: str) -> None:
    printed = deedlog(repo, "workflow", "report", workflow_id)
    assert printed.stdout.startswith("# Move to JWT\n")
