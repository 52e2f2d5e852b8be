"""What a page tells its reader to type, and what it says will be shown."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

MARK = "=== ended with"
SHOWN_ONCE = (  # what is different each time, and how it is written instead
    (re.compile(r"\b([a-z]{2,6})-1[0-9a-z]{15}\b"), r"\1-…"),
    (re.compile(r"\d{4}-\d\d-\d\d[ T][\d:.]+(Z|\+00:00)?"), "(time)"),
    (re.compile(r"\b1[678]\d{11}\b"), "(time)"),
    (re.compile(r"\b[0-9a-f]{40}\b"), "(hash)"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "(id)"),
    (re.compile(r"^(pid|\w*[dD]uration\w*|seconds|\w*seq): .*"), r"\1: …"),
    (re.compile(r" {2,}"), "  "),
)


class Step(NamedTuple):
    command: str
    shown: list[str]


def steps(page: Path) -> Iterator[Step]:
    """The commands in the page's console blocks, each with what follows it."""
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            yield _step(part.splitlines())


def _step(lines: list[str]) -> Step:
    ending = re.search(r"<<'?(\w+)", lines[0])
    length = lines.index(ending[1]) + 1 if ending else 1
    return Step("\n".join(lines[:length]), lines[length:])


def same(line: str) -> str:
    for pattern, instead in SHOWN_ONCE:
        line = pattern.sub(instead, line)
    return line.strip()


def typed(found: list[Step], folder: Path, environment: Mapping[str, str]) -> Iterator[tuple[Step, int, list[str]]]:
    """Each step with the exit code and the lines that one shell gave, typed one after the other."""
    script = "".join(f"{{ {step.command}\n}} 2>&1; echo; echo {MARK} $?\n" for step in found)
    told: dict[str, Any] = {"cwd": folder, "env": dict(environment), "input": script}
    done = subprocess.run(["bash"], **told, capture_output=True, text=True, check=True, timeout=300)
    ends = re.split(rf"\n{MARK} (\d+)\n", done.stdout)
    for number, step in enumerate(found):
        yield step, int(ends[2 * number + 1]), ends[2 * number].splitlines()
