#!/bin/sh
# Make .venv and bring what is missing: `setup.sh run` for the program, `setup.sh test`
# for its tests too. Installs system packages only as root or through Homebrew; else
# it says the one command to type. Does nothing, quickly, when everything is there.
set -eu

purpose=${1:-run}
cd "$(dirname "$0")/.."

die() {
    printf 'error: %s\n' "$1" >&2
    [ -z "${2:-}" ] || printf 'hint: %s\n' "$2" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# --- Python: the newest on PATH that is new enough ---------------------------------

usable() { has "$1" && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    for candidate in ${PYTHON:-} python3.14 python3.13 python3.12 python3.11 python3 python; do
        if usable "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
}

# Debian and Ubuntu ship Python without ensurepip; venv then makes half an environment.
can_venv() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }

# --- system packages ----------------------------------------------------------------

manager() {
    for candidate in apt-get dnf pacman apk zypper brew; do
        if has "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
}

install_command() {
    case $1 in
    apt-get) printf 'apt-get install -y --no-install-recommends' ;;
    dnf) printf 'dnf install -y' ;;
    pacman) printf 'pacman -S --needed --noconfirm' ;;
    apk) printf 'apk add' ;;
    zypper) printf 'zypper --non-interactive install' ;;
    brew) printf 'brew install' ;;
    esac
}

venv_package() {
    # The package carries the version, as in python3.12-venv.
    "$1" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'
}

python=$(find_python)
tool=$(manager)
missing=
wanted='tmux git'
[ "$purpose" = run ] || wanted="$wanted zsh fish"
for program in $wanted; do
    has "$program" || missing="$missing $program"
done
if [ -z "$python" ]; then
    case $tool in
    apt-get) missing="$missing python3 python3-venv" ;;
    brew) missing="$missing python" ;;
    pacman) missing="$missing python" ;;
    *) missing="$missing python3" ;;
    esac
elif [ "$tool" = apt-get ] && ! can_venv "$python"; then
    missing="$missing $(venv_package "$python")"
fi

if [ -n "$missing" ]; then
    [ -n "$tool" ] || die "missing:$missing" "install them with your package manager"
    command=$(install_command "$tool")
    if [ "$tool" != brew ] && [ "$(id -u)" -ne 0 ]; then
        die "missing:$missing" "type: sudo $command$missing"
    fi
    printf 'installing:%s\n' "$missing" >&2
    log=$(mktemp)
    # shellcheck disable=SC2086 # both are lists of words
    if { [ "$tool" != apt-get ] || DEBIAN_FRONTEND=noninteractive apt-get update; } >"$log" 2>&1 &&
        DEBIAN_FRONTEND=noninteractive $command $missing >>"$log" 2>&1; then
        rm -f "$log"
    else
        tail -n 20 "$log" >&2
        rm -f "$log"
        die "could not install:$missing" "type: $command$missing"
    fi
    python=$(find_python)
    [ -n "$python" ] || die "no Python 3.11 or newer" "install one, or name it: PYTHON=/path/to/python3 make ..."
fi
can_venv "$python" || die "$python cannot make virtual environments" "install its venv and ensurepip modules"

# --- the virtual environment ----------------------------------------------------------

extra=
[ "$purpose" = run ] || extra='[dev]'
stamp=.venv/mdtmux-$purpose
# A moved folder breaks the scripts of a virtual environment, so the path is part of it.
state="$PWD $(cksum <pyproject.toml)"
if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$state" ]; then
    exit 0
fi
if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
    printf 'making .venv with %s\n' "$python" >&2
    "$python" -m venv --clear .venv
fi
printf 'installing mdtmux%s into .venv\n' "$extra" >&2
.venv/bin/python -m pip install --quiet --disable-pip-version-check -e ".$extra" ||
    die "pip could not install mdtmux" "check the network, then try again"
printf '%s\n' "$state" >"$stamp"
