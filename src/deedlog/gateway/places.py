"""Where the gateway finds and keeps what it needs."""

from __future__ import annotations

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Places(Value):
    """`root` is the project's main work tree, `store` and `state` are its folders of ours, `user` is our folder among
    the user's configurations and `home` the user's own. Nothing else of the environment is looked at.
    """

    root: str
    store: str
    state: str
    user: str
    home: str
    environment: Mapping[str, str]
