# ring.sh FOLDER SIZE KEEP NUMBER HAS: copy stdin into a ring of files FOLDER/seg.N,
# going on in segment NUMBER, which has HAS bytes.
#
# Started by tmux's pipe-pane, once a pane: a shell that waits and a dd that reads.
# Each segment has at most SIZE bytes and the newest KEEP of them are kept: the ring
# never holds more than KEEP * SIZE bytes, nor less than the last (KEEP - 1) * SIZE
# (less 1/32). dd does no buffering: what tmux sent is in the file at once.
# It must never stop reading: tmux would keep the pane's output in memory.
# POSIX sh (dash, bash 3.2 as sh); dd, grep, mkdir, rm, tail, wc of GNU or BSD.
# Read by the shell that tmux starts. On the way to the first dd no process is started
# but at a full segment: an office starts all its recorders at once.

umask 077
trap '' HUP INT
export LC_ALL=C # dd's report in English
PATH=$PATH:/usr/bin:/bin
cd / || exit

folder=$1 size=$2 keep=$3 number=$4 left=$(($2 - $5))
lines='
'
report='' got=0

# Read dd's last line: `5 bytes copied, …` (GNU), `5 bytes transferred …` (BSD).
count() {
    got=${report##*"$lines"}
    got=${got%% byte*}
    case $got in '' | *[!0-9]*) return 1 ;; esac
}

# Set got to a segment's size, 0 when there is none.
measure() {
    got=0
    [ -s "$folder/seg.$1" ] || return 0
    got=$(wc -c 2>/dev/null <"$folder/seg.$1") || got=0
    got=$((got))
}

# Note the last mark of bracketed paste in the complete segments: they will be
# dropped, and what a program asked for stays asked. Lines are `seg.N:OFFSET:MARK`.
note() {
    escape=$(printf '\033')
    paste="$escape(c|\[[?]([0-9]+;)*2004(;[0-9]+)*[hl])"
    set --
    one=$((number - keep))
    while [ "$one" -lt "$number" ]; do
        set -- "$@" "seg.$one"
        one=$((one + 1))
    done
    last=$(cd "$folder" && grep -saobE "$paste" /dev/null "$@" | tail -n 1)
    case $last in ?*) printf '%s\n' "$last" >"$folder/paste" ;; esac
} 2>/dev/null

# Begin the next segment. The oldest is emptied rather than removed: that takes no
# process. What takes one is done for several segments at once: a flood rotates often.
rotate() {
    number=$((number + 1)) left=$size
    [ $((number % keep)) -ne 0 ] || note
    [ ! -e "$folder/seg.$((number - keep))" ] || true >"$folder/seg.$((number - keep))"
    [ $((number % 8)) -ne 0 ] || sweep
}

sweep() {
    set --
    for back in 0 1 2 3 4 5 6 7; do
        set -- "$@" "$folder/seg.$((number - keep - back))"
    done
    rm -f "$@"
}

# Make a removed folder again, but not one that was removed with all around it.
# Else lose some output rather than hold up the pane: the disk is full.
lose() {
    mkdir "$folder" && left=$size && return
    report=$(dd bs=4096 count=16 2>&1 >/dev/null)
    count && [ "$got" -eq 0 ] && exit 0
    measure "$number"
    left=$((size - got))
} 2>/dev/null

while :; do
    # 64 reads a dd at least, however few bytes each of them brings.
    [ "$left" -le $((size / 32)) ] && rotate
    block=$((left / 64))
    [ "$block" -gt 4096 ] && block=4096
    [ "$block" -lt 1 ] && block=1
    if ! report=$(dd bs="$block" count=$((left / block)) 2>&1 >>"$folder/seg.$number") || ! count; then
        lose
    elif [ "$got" -eq 0 ]; then
        exit 0
    else
        left=$((left - got))
        [ -e "$folder/seg.$number" ] || left=$size
    fi
done
