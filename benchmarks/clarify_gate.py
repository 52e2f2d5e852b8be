"""How well the gate judges labelled requests: `python -m benchmarks clarify [--misses]`."""

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


def requests(pattern: str = "requests.*.jsonl", folder: Path = SETS) -> list[dict[str, Any]]:
    return [json.loads(line) for path in sorted(folder.glob(pattern)) for line in path.read_text().splitlines() if line]


def profiles() -> dict[str, Facts]:
    return {name: Facts(**given) for name, given in json.loads((SETS / "profiles.json").read_text()).items()}


def judged(rows: list[dict[str, Any]], lexicon: Lexicon) -> list[tuple[dict[str, Any], Verdict]]:
    known = profiles()
    return [
        (row, judge(row["text"], known[row["repo"]].replace(architecture=row.get("state", {})), lexicon))
        for row in rows
    ]


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def f1(pairs: list[tuple[dict[str, Any], Verdict]]) -> tuple[float, float, float]:
    right = sum(row["adr"] and verdict.adr for row, verdict in pairs)
    precision = share(right, sum(verdict.adr for _, verdict in pairs))
    recall = share(right, sum(row["adr"] for row, _ in pairs))
    return precision, recall, share(2 * precision * recall, precision + recall) if precision + recall else 0.0


def figures(pairs: list[tuple[dict[str, Any], Verdict]], lexicon: Lexicon) -> dict[str, float]:
    bugs = [verdict.adr for row, verdict in pairs if row["bug"]]
    clear = [bool(verdict.questions) for row, verdict in pairs if not row["ask"]]
    open_ones = [bool(verdict.questions) for row, verdict in pairs if row["ask"]]
    wanted = [(row, verdict, key, value) for row, verdict in pairs for key, value in row["decided"].items()]
    right = [is_decided(verdict, key, value, lexicon) for _, verdict, key, value in wanted]
    never = [wrongly(verdict, name, lexicon) for row, verdict in pairs for name in row["never"]]
    found = {f"f1 {name}": f1([p for p in pairs if p[0]["lang"] == name])[2] for name in LANGUAGES}
    return {
        "f1": f1(pairs)[2],
        **found,
        "bugs with an ADR": share(sum(bugs), len(bugs)),
        "clear ones asked": share(sum(clear), len(clear)),
        "open ones asked": share(sum(open_ones), len(open_ones)),
        "decided values right": share(sum(right), len(right)),
        "never-values decided": share(sum(never), len(never)),
        "kinds right": share(sum(row["kind"] == verdict.kind for row, verdict in pairs), len(pairs)),
    }


def names_of(value: str, lexicon: Lexicon) -> set[str]:
    return {one.name for one in technologies_in(value, lexicon)} or {value.lower()}


def is_decided(verdict: Verdict, _key: str, value: str, lexicon: Lexicon) -> bool:
    names = names_of(value, lexicon)
    return any(names & names_of(one.value, lexicon) for one in verdict.decided)


def wrongly(verdict: Verdict, name: str, lexicon: Lexicon) -> bool:
    refused = names_of(name, lexicon)
    return any(
        one.value == name or (names_of(one.value, lexicon) <= refused and one.value.split()[-1:] == name.split()[-1:])
        for one in verdict.decided
    )


def misses(pairs: list[tuple[dict[str, Any], Verdict]], lexicon: Lexicon) -> None:
    for row, verdict in pairs:
        wrong = []
        if verdict.adr != row["adr"]:
            wrong.append("ADR" if row["adr"] else "no ADR")
        if bool(verdict.questions) != row["ask"]:
            wrong.append("ASK" if row["ask"] else "no ask")
        wrong += [f"decide {k}={v}" for k, v in row["decided"].items() if not is_decided(verdict, k, v, lexicon)]
        wrong += [f"never {name}" for name in row["never"] if wrongly(verdict, name, lexicon)]
        if wrong:
            print(
                f"{row['id']} should: {'; '.join(wrong)} | {verdict.rule} {[q.id for q in verdict.questions]} "
                f"{[(d.field, d.value) for d in verdict.decided]} {[(r.rule, r.text) for r in verdict.reasons][:3]}\n    {row['text']}"
            )


def measure(_work: Path | None = None, _rounds: int = 1) -> None:
    lexicon = read()
    rows = requests()
    judged(rows[:1], lexicon)
    started = time.perf_counter()
    pairs = judged(rows, lexicon)
    elapsed = (time.perf_counter() - started) / len(rows) * 1000
    for name, value in figures(pairs, lexicon).items():
        print(f"(k) gate: {name:<24} {value:.3f}")
    print(f"(k) gate: milliseconds a request   {elapsed:.2f}")
    if "--misses" in sys.argv:
        misses(pairs, lexicon)


if __name__ == "__main__":
    measure()
