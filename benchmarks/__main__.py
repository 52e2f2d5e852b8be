"""`make bench`: print every ratio. `python -m benchmarks start writes --rounds 5` runs some of them."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks import (
    calls,
    changes,
    discovery,
    gate,
    gateway,
    growth,
    listing,
    merges,
    page,
    plain,
    start,
    survey,
    tasks,
    wake,
    watching,
    writes,
)

PARTS = {
    "start": start,
    "listing": listing,
    "calls": calls,
    "writes": writes,
    "wake": wake,
    "watching": watching,
    "growth": growth,
    "tasks": tasks,
    "changes": changes,
    "merges": merges,
    "plain": plain,
    "clarify": gate,
    "survey": survey,
    "discovery": discovery,
    "gateway": gateway,
    "page": page,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="make bench", description="Print measured ratios, medians of interleaved rounds."
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of: {', '.join(PARTS)} (all if none)")
    parser.add_argument("--rounds", type=int, default=15, help="how often each case is measured (15)")
    parser.add_argument("--misses", action="store_true", help="list the requests that the gate judges wrongly")
    given = parser.parse_args()
    unknown = set(given.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory(prefix="deedlog-bench-") as folder:
        for name in given.parts or PARTS:
            PARTS[name].measure(Path(folder), given.rounds)


if __name__ == "__main__":
    main()
