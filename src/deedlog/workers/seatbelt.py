"""sandbox-exec: a process of macOS under a profile. The last rule that fits a path decides."""

from __future__ import annotations

from deedlog.workers import home
from deedlog.workers.ground import opened, shut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from deedlog.workers.ground import Ground
    from deedlog.workers.place import Place

PROGRAM = "/usr/bin/sandbox-exec"
WRITE, READ = "file-write*", "file-read*"


def prefix(ground: Ground, place: Place, environment: Mapping[str, str]) -> list[str]:
    return [PROGRAM, "-p", profile(ground, place, environment)]


def profile(ground: Ground, place: Place, environment: Mapping[str, str]) -> str:
    lines = ["(version 1)", "(allow default)", f"(deny {WRITE})", _rule("allow", "/dev")]
    folder = home.home(environment)
    lines += [_rule("allow", path) for path in (*home.temporary(environment), *home.opened(folder))]
    lines += [_rule("deny", path) for path in (*home.shut(folder, absent=True), *place.protected())]
    lines += [_rule("deny", path, what) for path in place.hidden(environment) for what in (READ, WRITE)]
    lines.append(_rule("allow", ground.tree, READ))
    if ground.whole or ground.top:
        lines.append(_rule("allow", ground.tree))
        lines += [_rule("deny", ground.path(name)) for name in ground.closed()]
        lines += [_rule("allow", ground.path(name)) for name in ground.files]
    else:
        lines += [_rule("allow", path) for path in opened(ground)]
        lines += [_rule("deny", path) for path in shut(ground)]
    ours = [place.private] if place.private else []
    lines += [_rule("allow", path, what) for path in ours for what in (READ, WRITE)]
    return "\n".join(lines)


def _rule(verb: str, path: str, what: str = WRITE) -> str:
    text = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'({verb} {what} (subpath "{text}"))'
