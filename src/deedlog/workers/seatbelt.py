"""sandbox-exec: a process of macOS under a profile. The last rule that fits a path decides."""

from __future__ import annotations

from deedlog.workers import home
from deedlog.workers.ground import git_open, git_shut, opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deedlog.workers.ground import Ground, Repository

PROGRAM = "/usr/bin/sandbox-exec"


def prefix(ground: Ground, repo: Repository, protected: Iterable[str], environment: Mapping[str, str]) -> list[str]:
    return [PROGRAM, "-p", profile(ground, repo, protected, environment)]


def profile(ground: Ground, repo: Repository, protected: Iterable[str], environment: Mapping[str, str]) -> str:
    lines = ["(version 1)", "(allow default)", "(deny file-write*)", _rule("allow", "/dev")]
    folder = home.home(environment)
    lines += [_rule("allow", path) for path in (*home.temporary(environment), *home.opened(folder))]
    lines += [_rule("deny", path) for path in (*home.shut(folder, absent=True), *protected)]
    if ground.whole or ground.top:
        lines.append(_rule("allow", ground.tree))
        lines += [_rule("deny", ground.path(name)) for name in ground.closed()]
        lines += [_rule("allow", ground.path(name)) for name in ground.files]
    else:
        lines += [_rule("allow", path) for path in opened(ground)]
        lines += [_rule("deny", ground.path(name)) for name in ground.shut]
    lines += [_rule("allow", path) for path in git_open(repo)]
    lines += [_rule("deny", path) for path in git_shut(repo)]
    return "\n".join(lines)


def _rule(verb: str, path: str) -> str:
    text = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'({verb} file-write* (subpath "{text}"))'
