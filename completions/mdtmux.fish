# Tab completion of mdtmux for fish; made by `mdtmux completion fish`.

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
