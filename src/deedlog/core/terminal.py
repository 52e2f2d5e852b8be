"""What a line that a program printed looks like: escapes are obeyed as far as they concern the line, or left out."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Look = tuple[str, ...]
    Run = tuple[str, Look, str]  # text, how it looks, where it links to

CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")  # all but the tab
COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
TOKEN = re.compile(
    r"(?:\x1b\]|\x9d)(?P<osc>[^\x07\x1b\x9c]*)(?:\x07|\x1b\\|\x9c|(?=\x1b)|$)"
    r"|(?:\x1b\[|\x9b)(?P<csi>[0-?]*)[ -/]*(?P<final>[@-~])?"
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c|(?=\x1b)|$)"
    r"|\x1b[ -/]*[0-~]?"
    r"|(?P<text>[^\x00-\x08\x0a-\x1f\x7f-\x9f]+)"
    r"|(?P<control>.)",
    re.DOTALL,
)
MOST_COLUMNS = 2_000  # as far as a cursor is moved to the right of what was printed
LONGEST_LINK = 2_000
LONGEST_NUMBER = 9
BASIC, CUBE = 16, 232
STEPS = (0, 95, 135, 175, 215, 255)  # of the 256 colours
SWITCHES = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse", 8: "dim", 9: "strike", 21: "underline"}
OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("inverse",), 28: ("dim",), 29: ("strike",)}
OFF |= {39: ("colour",), 49: ("ground",)}


class Screen:
    """Lines one after the other: what one leaves switched on holds for the next."""

    def __init__(self) -> None:
        self._look: dict[str, str] = {}
        self._link = ""

    def line(self, text: str) -> list[Run]:
        """The line as runs of text that look alike."""
        if not CONTROL.search(text):
            return [(text, tuple(self._look.values()), self._link)] if text else []
        cells = Cells()
        for token in TOKEN.finditer(text):
            if (said := token["text"]) is not None:
                cells.put(said, (tuple(self._look.values()), self._link))
            elif token["final"] == "m":
                self._recolour(token["csi"])
            elif token["final"] is not None:
                cells.obey(token["final"], token["csi"])
            elif token["osc"] is not None:
                self._relink(token["osc"])
            elif token["control"] is not None:
                cells.control(token["control"])
        return cells.runs()

    def _recolour(self, given: str) -> None:
        codes = [part.split(":") for part in given.split(";")]
        place = 0
        while place < len(codes):
            first, *more = (_number(part) for part in codes[place])
            place += 1
            if first in (38, 48):
                if not more:
                    taken = {5: 2, 2: 4}.get(_number(codes[place][0]) if place < len(codes) else 0, 1)
                    more = [_number(part[0]) for part in codes[place : place + taken]]
                    place += taken
                self._colour(_colour(more), is_ground=first == 48)  # noqa: PLR2004
            else:
                self._switch(first, more)

    def _switch(self, code: int, more: list[int]) -> None:
        if code == 0:
            self._look.clear()
        elif code == 4 and more == [0]:  # noqa: PLR2004
            self._look.pop("underline", None)
        elif code in SWITCHES:
            self._look[SWITCHES[code]] = SWITCHES[code]
        elif code in OFF:
            for name in OFF[code]:
                self._look.pop(name, None)
        else:
            for start, bright, is_ground in ((30, 0, False), (90, 8, False), (40, 0, True), (100, 8, True)):
                if start <= code < start + 8:
                    self._colour(f"c{code - start + bright}", is_ground=is_ground)

    def _colour(self, name: str, *, is_ground: bool) -> None:
        if name:
            self._look["ground" if is_ground else "colour"] = f"on-{name}" if is_ground else name

    def _relink(self, said: str) -> None:
        kind, _, rest = said.partition(";")
        if kind == "8":
            address = rest.partition(";")[2]
            is_safe = address.startswith(("https://", "http://")) and len(address) <= LONGEST_LINK
            self._link = address if is_safe else ""


class Cells:
    """One line of a terminal, and where its cursor is."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._looks: list[tuple[Look, str]] = []
        self._at = 0

    def put(self, text: str, look: tuple[Look, str]) -> None:
        self._reach()
        end = self._at + len(text)
        self._text[self._at : end] = text
        self._looks[self._at : end] = [look] * len(text)
        self._at = end

    def control(self, character: str) -> None:
        if character == "\r":
            self._at = 0
        elif character == "\b":
            self._at = max(0, self._at - 1)

    def obey(self, final: str, given: str) -> None:
        number = _number(given.partition(";")[0])
        if final == "G":
            self._at = self._bounded(max(1, number) - 1)
        elif final == "C":
            self._at = self._bounded(self._at + max(1, number))
        elif final == "D":
            self._at = max(0, self._at - max(1, number))
        elif final in "KJ":
            self._erase(number)
        elif final == "P":
            del self._text[self._at : self._at + max(1, number)]
            del self._looks[self._at : self._at + max(1, number)]

    def _erase(self, which: int) -> None:
        if which == 0:
            del self._text[self._at :], self._looks[self._at :]
            return
        end = min(len(self._text), self._at + 1 if which == 1 else len(self._text))
        self._text[:end] = [" "] * end
        self._looks[:end] = [((), "")] * end

    def _bounded(self, column: int) -> int:
        return min(column, max(len(self._text), MOST_COLUMNS))

    def _reach(self) -> None:
        missing = self._at - len(self._text)
        self._text += [" "] * missing
        self._looks += [((), "")] * missing

    def runs(self) -> list[Run]:
        found: list[Run] = []
        start = 0
        for place in range(1, len(self._text) + 1):
            if place == len(self._text) or self._looks[place] != self._looks[start]:
                found.append(("".join(self._text[start:place]), *self._looks[start]))
                start = place
        return found


def plain(text: str) -> str:
    """A printed line as people read it, without colours."""
    if not CONTROL.search(text):
        return text
    if not CONTROL.search(uncoloured := COLOURS.sub("", text)):  # mostly it is just that
        return uncoloured
    return "".join(run[0] for run in Screen().line(text))


def sought(text: str) -> re.Pattern[str]:
    """Finds a text, in either case."""
    return re.compile(re.escape(text), re.IGNORECASE)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER else 0


def _colour(codes: Sequence[int]) -> str:
    """The name of a colour: one of the sixteen, or one of 64 that is near."""
    if len(codes) >= 2 and codes[0] == 5:  # noqa: PLR2004
        return _of_256(codes[1])
    if len(codes) >= 4 and codes[0] == 2:  # noqa: PLR2004
        return near(*codes[-3:])
    return ""


def _of_256(code: int) -> str:
    if code < BASIC:
        return f"c{code}"
    if code < CUBE:
        red, rest = divmod(code - BASIC, 36)
        green, blue = divmod(rest, 6)
        return near(STEPS[red], STEPS[green], STEPS[blue])
    grey = min(8 + (code - CUBE) * 10, 255)
    return near(grey, grey, grey)


def near(red: int, green: int, blue: int) -> str:
    """The nearest of the 64 colours there are."""
    return "n" + "".join(str(min(3, round(part / 85))) for part in (red, green, blue))
