"""`mdtmux shell-init SHELL`: aliases, functions and completion for a shell."""

from __future__ import annotations

from collections.abc import Mapping

import click

from mdtmux.cli import output
from mdtmux.cli.completion import SCRIPTS, SHELLS

ALIASES: Mapping[str, str] = {
    "mdu": "up",
    "mdd": "down",
    "mdp": "ps",
    "mda": "attach",
    "mds": "send",
}

_SH_FUNCTIONS = """\
# mdw: watch the office.
mdw() { mdtmux ps -w "$@"; }
# mdn: go to the next agent that waits for an answer.
mdn() { mdtmux attach --next-waiting "$@"; }
# mdcd AGENT: go to the folder of an agent's worktree.
mdcd() {
    local folder
    folder=$(mdtmux path "$@") && cd -- "$folder"
}
"""

_FISH_FUNCTIONS = """\
function mdw --wraps 'mdtmux ps' --description 'watch the office'
    mdtmux ps -w $argv
end
function mdn --description 'go to the next agent that waits for an answer'
    mdtmux attach --next-waiting $argv
end
function mdcd --wraps 'mdtmux path' --description 'go to the worktree of an agent'
    set -l folder (mdtmux path $argv); and cd $folder
end
"""

# bash completes an alias by its own name; zsh and fish look at what it stands for.
_BASH_SHORT = """\
_mdtmux_short() {{
    local verb
    case $1 in
{cases}
    esac
    local COMP_WORDS=(mdtmux "$verb" "${{COMP_WORDS[@]:1}}") COMP_CWORD=$((COMP_CWORD + 1))
    _mdtmux mdtmux
}}
complete -o nosort -F _mdtmux_short {names} 2>/dev/null || complete -F _mdtmux_short {names}
"""

_ZSH_SHORT = """\
_mdtmux_path() {
    words=(mdtmux path "${(@)words[2,-1]}")
    (( CURRENT++ ))
    _mdtmux
}
(( $+functions[compdef] )) && compdef _mdtmux_path mdcd
true
"""


def _aliases(shell: str) -> str:
    if shell == "fish":
        return "".join(f"alias {n} 'mdtmux {v}'\n" for n, v in ALIASES.items())
    return "".join(f"alias {n}='mdtmux {v}'\n" for n, v in ALIASES.items())


def _bash_short() -> str:
    verbs = {**ALIASES, "mdw": "ps", "mdcd": "path"}
    cases = "\n".join(f"    {name}) verb={verb} ;;" for name, verb in verbs.items())
    return _BASH_SHORT.format(cases=cases, names=" ".join(verbs))


def script(shell: str) -> str:
    """Return everything that a shell's start-up file should evaluate."""
    parts = [
        f"# mdtmux for {shell}; made by `mdtmux shell-init {shell}`.\n{_aliases(shell)}",
        _FISH_FUNCTIONS if shell == "fish" else _SH_FUNCTIONS,
        SCRIPTS[shell],
    ]
    if shell == "bash":
        parts.append(_bash_short())
    if shell == "zsh":
        parts.append(_ZSH_SHORT)
    return "\n".join(parts)


@click.command("shell-init")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print aliases, functions and completion for SHELL.

    \u0008
    mdu up     mdd down   mdp ps   mda attach   mds send
    mdw        ps -w
    mdn        go to the next agent that waits for an answer
    mdcd AGENT go to the folder of the agent's worktree

    Put this where your shell starts:

    \u0008
    bash  ~/.bashrc                   eval "$(mdtmux shell-init bash)"
    zsh   ~/.zshrc, after compinit    eval "$(mdtmux shell-init zsh)"
    fish  ~/.config/fish/config.fish  mdtmux shell-init fish | source
    """
    output.echo(script(shell).rstrip("\n"))
