"""`deedlog completion`: a script for a shell, which asks `deedlog __complete` for what may come next."""

from __future__ import annotations

from deedlog.core.caller import ANYONE
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.output import write

SCRIPTS = {
    "bash": """\
_deedlog() {
    local IFS=$'\\n'
    COMPREPLY=($(deedlog __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _deedlog deedlog""",
    "zsh": """\
#compdef deedlog
_deedlog() {
    local -a found
    found=("${(@f)$(deedlog __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${found[*]}" ]]; then compadd -- "${found[@]}"; else _files; fi
}
if [[ "${funcstack[1]}" == _deedlog ]]; then _deedlog "$@"; else compdef _deedlog deedlog; fi""",
    "fish": """\
function __deedlog_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    deedlog __complete -- $words[2..-1] (commandline --current-token --cut-at-cursor) 2>/dev/null
end
complete --command deedlog --arguments '(__deedlog_complete)'""",
}


def run(invocation: Invocation) -> int:
    write(SCRIPTS[invocation.arguments["shell"]])
    return 0


COMMAND = Command(
    words="completion",
    callers=ANYONE,
    help="Print the completion script of a shell.\n\nIt completes commands, options and the values that are known.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {"shell": {"type": "string", "enum": list(SCRIPTS), "description": "Which shell"}},
        "required": ["shell"],
    },
    examples=[
        "source <(deedlog completion bash)",
        "deedlog completion zsh > ~/.zfunc/_deedlog",
        "deedlog completion fish > ~/.config/fish/completions/deedlog.fish",
    ],
)
