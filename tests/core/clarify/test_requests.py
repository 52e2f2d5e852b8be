"""The labelled requests of `benchmarks/clarify`, judged as well as promised."""

from __future__ import annotations

import pytest

from benchmarks.gate import LANGUAGES, figures, judged, requests
from deedlog.survey.lexicon import read

LEAST = 400


@pytest.mark.proves("clarify:gate:figures")
def test_the_gate_judges_the_labelled_requests_well() -> None:
    rows = requests()
    assert len(rows) >= LEAST
    lexicon = read()
    found = figures(judged(rows, lexicon), lexicon)
    assert found["F1 on ADRs"] >= 0.93
    assert all(found[f"F1 on ADRs, {language}"] >= 0.9 for language in LANGUAGES)
    assert found["ADRs on bug reports"] <= 0.03
    assert found["clear ones asked"] <= 0.08
    assert found["open ones asked"] >= 0.92
    assert found["never-values decided"] <= 0.02
    assert found["decided values found"] >= 0.9


def test_every_request_is_labelled_whole() -> None:
    rows = requests()
    assert len({row["id"] for row in rows}) == len(rows)
    assert {row["lang"] for row in rows} == set(LANGUAGES)
