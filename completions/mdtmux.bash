# Tab completion of mdtmux for bash; made by `mdtmux completion bash`.

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
