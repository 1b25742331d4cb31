#!/bin/sh
# For the tmux plugin manager: binds what `mdtmux tmux-init` prints.
# Keys other than the defaults: set -g @mdtmux_popup_key X, set -g @mdtmux_next_key Y.
option() { tmux show-option -gqv "$1"; }
popup=$(option @mdtmux_popup_key)
next=$(option @mdtmux_next_key)
mdtmux tmux-init ${popup:+--popup-key "$popup"} ${next:+--next-key "$next"} |
    tmux source-file -
