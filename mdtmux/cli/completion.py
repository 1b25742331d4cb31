"""`mdtmux completion SHELL`: the script that makes Tab work."""

from __future__ import annotations

from collections.abc import Mapping

import click

from mdtmux.cli import output

SHELLS = ("bash", "zsh", "fish")

_BASH = r"""# Tab completion of mdtmux for bash; made by `mdtmux completion bash`.

_mdtmux() {
    local words=() word kind value rest i IFS=$'\037'
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        # readline parts `--for=idle` into three words.
        if ((i > 1)) && [[ $word == '=' || ${COMP_WORDS[i - 1]} == '=' ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
    done
    COMPREPLY=()
    while IFS=$'\t' read -r kind value rest; do
        case $kind in
        plain) COMPREPLY+=("$value") ;;
        file) compopt -o default ;;
        dir) compopt -o dirnames ;;
        esac
    done < <(_MDTMUX_WORDS="${words[*]}" _MDTMUX_COMPLETE=bash_complete \
        "${1/#\~\//$HOME/}" 2>/dev/null)
} 2>/dev/null

# bash before 4.4 has no `nosort`.
complete -o nosort -F _mdtmux mdtmux 2>/dev/null || complete -F _mdtmux mdtmux
"""

_ZSH = r"""#compdef mdtmux
# Tab completion of mdtmux for zsh; made by `mdtmux completion zsh`.

_mdtmux() {
    local -a line plain described fields
    local answer program=${~words[1]}
    (( $+commands[$program] )) || [[ -x $program ]] || program=mdtmux
    line=("${(@Q)words[2,CURRENT]}")
    local -x _MDTMUX_WORDS=${(pj:\x1f:)line} _MDTMUX_COMPLETE=zsh_complete
    for answer in "${(@f)$($program 2>/dev/null)}"; do
        fields=("${(@ps:\t:)answer}")
        case $fields[1] in
        plain)
            if [[ -n $fields[3] ]]; then
                described+=("${fields[2]//:/\\:}:$fields[3]")
            else
                plain+=("$fields[2]")
            fi
            ;;
        file) _files ;;
        dir) _files -/ ;;
        esac
    done
    (( $#described )) && _describe -V mdtmux described
    (( $#plain )) && compadd -V mdtmux -a plain
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _mdtmux "$@"
elif (( $+functions[compdef] )); then
    compdef _mdtmux mdtmux
fi
"""

_FISH = r"""# Tab completion of mdtmux for fish; made by `mdtmux completion fish`.

function __mdtmux_complete
    set -l words (commandline -opc)[2..-1] (commandline -ct)
    set -lx _MDTMUX_WORDS (string join \x1f -- $words | string collect)
    set -lx _MDTMUX_COMPLETE fish_complete
    for answer in (mdtmux 2>/dev/null)
        set -l fields (string split \t -- $answer)
        switch $fields[1]
            case plain
                string join \t -- $fields[2..-1]
            case file
                __fish_complete_path (commandline -ct)
            case dir
                __fish_complete_directories (commandline -ct)
        end
    end
end

complete --command mdtmux --no-files --keep-order --arguments '(__mdtmux_complete)'
"""

SCRIPTS: Mapping[str, str] = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
# The names under which the shells look for them, as in the folder `completions/`.
FILES: Mapping[str, str] = {
    "bash": "mdtmux.bash",
    "zsh": "_mdtmux",
    "fish": "mdtmux.fish",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the script that makes Tab complete mdtmux in SHELL.

    It completes verbs, options, agents, offices and templates. `mdtmux shell-init`
    prints it together with aliases.

    \u0008
    bash: mdtmux completion bash > ~/.local/share/bash-completion/completions/mdtmux
    zsh:  mdtmux completion zsh > FOLDER/_mdtmux, with FOLDER on $fpath before compinit
    fish: mdtmux completion fish > ~/.config/fish/completions/mdtmux.fish
    """
    output.echo(SCRIPTS[shell].rstrip("\n"))
