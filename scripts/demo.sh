#!/bin/sh
# The main job on embedded agents: a throw-away repository, a boss and three workers.
set -eu
cd "$(dirname "$0")/.."

home=$PWD
mdtmux=$home/.venv/bin/mdtmux
place=${TMPDIR:-/tmp}/mdtmux-demo-$(id -u)
mark=.made-by-mdtmux-demo

# An earlier demo is ended first; only a folder that this script made is removed.
if [ -e "$place" ]; then
    if [ ! -O "$place/$mark" ]; then
        printf 'error: `%s` is there and no demo made it\n' "$place" >&2
        exit 1
    fi
    if [ -e "$place/demo/office.yaml" ]; then
        "$mdtmux" down "$place/demo/office.yaml" >/dev/null 2>&1 || :
    fi
    rm -rf "$place"
fi
mkdir -m 700 "$place"
: >"$place/$mark"

mkdir "$place/demo"
cd "$place/demo"
git init -q
git symbolic-ref HEAD refs/heads/main
# A fresh machine has no identity; this one is the repository's alone.
git config user.name demo
git config user.email demo@demo.invalid
printf '# Demo\n' >README.md
"$mdtmux" init -t demo --json >/dev/null
git add -A
git commit -q -m 'start'

printf 'The office file is %s/demo/office.yaml\n\n$ mdtmux up\n' "$place"
"$mdtmux" up
printf '\nThe boss hands out work, waits and merges...\n'
"$mdtmux" wait boss --for idle --timeout 60 >/dev/null

printf '\n$ mdtmux ps\n'
"$mdtmux" ps
printf '\n$ git log --graph --oneline --all\n'
git log --graph --oneline --all
merged=$(git ls-files | grep -c -e '^docs/' -e '^src/' -e '^tests/' || :)
if [ "$merged" -lt 3 ]; then
    printf 'error: the boss did not merge the work of all three; see `mdtmux capture boss`\n' >&2
    exit 1
fi
printf '\nLook at the office:   cd %s/demo && %s attach\n' "$place" "$mdtmux"
printf 'End it:               cd %s/demo && %s down\n' "$place" "$mdtmux"
