"""How well the gate judges labelled requests: `python -m benchmarks clarify`; `--misses` lists the wrong ones."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from deedlog.core.clarify.decided import technologies_in
from deedlog.core.clarify.gate import judge
from deedlog.core.clarify.lexicon import Lexicon
from deedlog.core.clarify.values import Facts, Verdict
from deedlog.survey.lexicon import read

SETS = Path(__file__).parent / "clarify"
LANGUAGES = ("en", "fr", "ja")
WANTED = {
    "F1 on ADRs": ">= 0.85",
    **{f"F1 on ADRs, {language}": ">= 0.78" for language in LANGUAGES},
    "ADRs on bug reports": "<= 0.05",
    "clear ones asked": "<= 0.15",
    "open ones asked": ">= 0.85",
}
Pair = tuple[dict[str, Any], Verdict]


def requests(folder: Path = SETS, pattern: str = "requests.*.jsonl") -> list[dict[str, Any]]:
    lines = [line for path in sorted(folder.glob(pattern)) for line in path.read_text().splitlines()]
    return [json.loads(line) for line in lines if line]


def judged(rows: list[dict[str, Any]], lexicon: Lexicon) -> list[Pair]:
    """Each request with the gate's verdict, in the repository it is about."""
    profiles = json.loads((SETS / "profiles.json").read_text())
    return [
        (row, judge(row["text"], Facts(**profiles[row["repo"]], architecture=row.get("state", {})), lexicon))
        for row in rows
    ]


def precision_and_recall(pairs: list[Pair]) -> tuple[float, float]:
    right = sum(row["adr"] and verdict.adr for row, verdict in pairs)
    given, due = sum(verdict.adr for _, verdict in pairs), sum(row["adr"] for row, _ in pairs)
    return right / max(given, 1), right / max(due, 1)


def f1(pairs: list[Pair]) -> float:
    precision, recall = precision_and_recall(pairs)
    return 2 * precision * recall / max(precision + recall, 1e-9)


def share(found: list[bool]) -> float:
    return sum(found) / max(len(found), 1)


def figures(pairs: list[Pair], lexicon: Lexicon) -> dict[str, float]:
    precision, recall = precision_and_recall(pairs)
    return {
        "F1 on ADRs": f1(pairs),
        **{f"F1 on ADRs, {name}": f1([pair for pair in pairs if pair[0]["lang"] == name]) for name in LANGUAGES},
        "precision on ADRs": precision,
        "recall on ADRs": recall,
        "ADRs on bug reports": share([verdict.adr for row, verdict in pairs if row["bug"]]),
        "clear ones asked": share([bool(verdict.questions) for row, verdict in pairs if not row["ask"]]),
        "open ones asked": share([bool(verdict.questions) for row, verdict in pairs if row["ask"]]),
        "decided values found": share(
            [is_decided(verdict, value, lexicon) for row, verdict in pairs for value in row["decided"].values()]
        ),
        "never-values decided": share(
            [is_wrong(verdict, name, lexicon) for row, verdict in pairs for name in row["never"]]
        ),
        "kinds right": share([row["kind"] == verdict.kind for row, verdict in pairs if row["kind"]]),
    }


def names_of(value: str, lexicon: Lexicon) -> set[str]:
    """People name one thing in several ways: "SQS", "Amazon SQS"."""
    return {one.name for one in technologies_in(value, lexicon)} or {value.lower()}


def is_decided(verdict: Verdict, value: str, lexicon: Lexicon) -> bool:
    return any(names_of(value, lexicon) & names_of(one.value, lexicon) for one in verdict.decided)


def is_wrong(verdict: Verdict, name: str, lexicon: Lexicon) -> bool:
    """Whether a technology is decided that must not be; another version of it is another value."""
    refused = names_of(name, lexicon)
    return any(
        names_of(one.value, lexicon) <= refused and one.value.split()[-1:] == name.split()[-1:]
        for one in verdict.decided
    )


def faults(row: dict[str, Any], verdict: Verdict, lexicon: Lexicon) -> list[str]:
    found = []
    if verdict.adr != row["adr"]:
        found.append("needs an ADR" if row["adr"] else "needs no ADR")
    if bool(verdict.questions) != row["ask"]:
        found.append("is open" if row["ask"] else "is clear")
    found += [f"decides {value}" for value in row["decided"].values() if not is_decided(verdict, value, lexicon)]
    return found + [f"does not decide {name}" for name in row["never"] if is_wrong(verdict, name, lexicon)]


def measure(_work: Path, _rounds: int) -> None:
    lexicon = read()
    rows = requests()
    judged(rows, lexicon)
    started = time.perf_counter()
    pairs = judged(rows, lexicon)
    elapsed = (time.perf_counter() - started) / len(rows) * 1000
    for name, value in figures(pairs, lexicon).items():
        print(f"(k) gate, {len(rows)} requests: {name:<24} {value:.3f}   {WANTED.get(name, '')}")
    print(f"(k) gate: one request takes {elapsed:.2f} ms")
    if "--misses" in sys.argv:
        for row, verdict in pairs:
            if wrong := faults(row, verdict, lexicon):
                asked = [one.id for one in verdict.questions]
                print(f"{row['id']} {', '.join(wrong)}; the gate says {verdict.rule}, asks {asked}\n    {row['text']}")
