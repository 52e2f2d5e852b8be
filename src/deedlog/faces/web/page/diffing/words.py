"""Which lines replace which, and what in them differs."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher

Spans = list[tuple[int, int]]
WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
LONGEST = 1_000  # characters of a line whose words are compared
MOST_COMPARED = 2_500  # pairs of lines in one block
ALIKE = 0.5  # from here on one line is another version of the other
KEPT = 0.3  # of a line: where less stays, all of it is new
GAP = 2  # characters between two differences that are told as one


def paired(removed: list[str], added: list[str]) -> list[tuple[int, int]]:
    """Which removed line became which added one: in order, so that they are as alike as can be."""
    if len(removed) * len(added) > MOST_COMPARED:
        return [(at, at) for at in range(len(removed))] if len(removed) == len(added) else []
    if len(removed) == len(added) == 1:
        return [(0, 0)]
    counts = [[Counter(WORD.findall(text[:LONGEST])) for text in side] for side in (removed, added)]
    likeness = [[_alike(old, new) for new in counts[1]] for old in counts[0]]
    return _best(likeness, len(removed), len(added))


def _alike(old: Counter[str], new: Counter[str]) -> float:
    """How much of two lines is the same, by characters that are seen."""
    total = _size(old) + _size(new)
    return 2 * _size(old & new) / total if total else 1.0


def _size(words: Counter[str]) -> int:
    return sum(len(word) * count for word, count in words.items() if not word.isspace())


def _best(likeness: list[list[float]], olds: int, news: int) -> list[tuple[int, int]]:
    best = [[0.0] * (news + 1) for _ in range(olds + 1)]
    for old in range(olds - 1, -1, -1):
        for new in range(news - 1, -1, -1):
            alike = likeness[old][new]
            together = alike + best[old + 1][new + 1] if alike >= ALIKE else 0.0
            best[old][new] = max(together, best[old + 1][new], best[old][new + 1])
    found, old, new = [], 0, 0
    while old < olds and new < news:
        if likeness[old][new] >= ALIKE and best[old][new] == likeness[old][new] + best[old + 1][new + 1]:
            found.append((old, new))
            old, new = old + 1, new + 1
        elif best[old][new] == best[old + 1][new]:
            old += 1
        else:
            new += 1
    return found


def differing(old: str, new: str) -> tuple[Spans, Spans]:
    """Where two versions of a line differ, word by word; nowhere where they have too little in common to tell."""
    if len(old) > LONGEST or len(new) > LONGEST:
        return _ends(old, new)
    olds, news = WORD.findall(old), WORD.findall(new)
    left, right, same = [], [], 0
    old_at = new_at = 0
    for what, i1, i2, j1, j2 in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        old_end, new_end = old_at + sum(map(len, olds[i1:i2])), new_at + sum(map(len, news[j1:j2]))
        if what == "equal":
            same += len("".join(olds[i1:i2]).strip())
        else:
            left.append((old_at, old_end))
            right.append((new_at, new_end))
        old_at, new_at = old_end, new_end
    if same < KEPT * max(len(old.strip()), len(new.strip())):
        return [], []
    return _joined(left), _joined(right)


def _ends(old: str, new: str) -> tuple[Spans, Spans]:
    """What is between the beginning and the end that both have."""
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    end = next((at for at in range(shorter - start) if old[-1 - at] != new[-1 - at]), shorter - start)
    spans = [(start, len(text) - end) for text in (old, new)]
    return _joined(spans[:1]), _joined(spans[1:])


def _joined(spans: Spans) -> Spans:
    found: Spans = []
    for start, end in spans:
        if start == end:
            continue
        if found and start - found[-1][1] <= GAP:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
