"""What may be typed into a form is what the operation takes that it is sent to."""

from __future__ import annotations

import re
from pathlib import Path

from deedlog.faces.web.page.look import HERE
from deedlog.work.commenting import MOST_TEXT

LONGEST = re.compile(r'name="message"[^>]*maxlength="(\d+)"')


def test_every_place_to_send_work_back_from_takes_as_long_a_message() -> None:
    texts = [path.read_text() for path in sorted(Path(HERE, "templates").glob("*.html"))]
    assert [int(found) for text in texts for found in LONGEST.findall(text)] == [MOST_TEXT] * 3
