"""What a repository says of itself."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon
    from deedlog.core.clarify.values import Facts


class TreeSurvey:
    def __init__(self, tree: str, state: str) -> None:
        self._tree = tree
        self._state = state

    def lexicon(self) -> Lexicon:
        raise NotImplementedError

    def facts(self) -> Facts:
        raise NotImplementedError
