"""What a program does with typed text, told by its executable and its arguments.

The names a process gives itself are not believed where the kernel tells its real
executable. Every doubt is decided against typing: a text held back can be sent again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath


class Reads(StrEnum):
    """What becomes of text typed at a program.

    `COMMANDS`: a shell, REPL or debugger at its prompt executes it. `KEYS`: a pager,
    editor or picker takes letters for orders, some of which run commands. `RELAY`: it
    goes on to a terminal of its own or on another machine, where anything may read
    it. `TEXT`: none of these, as far as is known.
    """

    COMMANDS = "commands"
    KEYS = "keys"
    RELAY = "relay"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class _Syntax:
    """How an interpreter reads its arguments; single letters stand for `-x`.

    `values`: options whose value follows. `runs`: options that give it a program, so
    that it reads no commands; with `ends`, all that follows is that program's.
    `asks`: options that make it read commands whatever else is given.
    """

    values: frozenset[str]
    runs: frozenset[str]
    asks: frozenset[str]
    ends: bool = True


def _syntax(values: str, runs: str, asks: str, *, ends: bool = True) -> _Syntax:
    given, program, prompt = (frozenset(t.split()) for t in (values, runs, asks))
    return _Syntax(given, program, prompt, ends=ends)


_POSIX = _syntax("o O --rcfile --init-file --emulate", "c", "i s", ends=False)
_FISH = _syntax(
    "C d D f o p --init-command --debug --debug-stack-frames --debug-output --features"
    " --profile --profile-startup",
    "c --command",
    "i --interactive",
    ends=False,
)
_NU = _syntax(
    "e m t I --execute --config --env-config --plugin-config --table-mode --threads"
    " --include-path --log-level --log-target --plugins",
    "c --commands",
    "i --interactive",
    ends=False,
)
_SHELLS: Mapping[str, _Syntax] = {
    **dict.fromkeys(
        [
            "sh",
            "bash",
            "dash",
            "ash",
            "ksh",
            "mksh",
            "zsh",
            "tcsh",
            "csh",
            "yash",
            "rc",
        ],
        _POSIX,
    ),
    **{"fish": _FISH, "nu": _NU, "xonsh": _POSIX, "elvish": _POSIX},
}
_NODE = _syntax(
    "r C --require --import --loader --experimental-loader --conditions --title"
    " --env-file --input-type",
    "e p c --eval --print --check --test --run",
    "i --interactive",
)
_PYTHON = _syntax("X W Q --check-hash-based-pycs", "c m", "i")
_LANGUAGES: Mapping[str, _Syntax] = {
    **dict.fromkeys(["python", "pypy"], _PYTHON),
    **dict.fromkeys(["node", "nodejs"], _NODE),
    **dict.fromkeys(["lua", "luajit"], _syntax("l", "e", "i")),
    "perl": _syntax("I M m", "e E", "d"),
    "ruby": _syntax("r I C E", "e", "i"),
    "php": _syntax("d c z t", "r f S B F R --run --file", "a --interactive"),
    "julia": _syntax("L J p t O C H --load --threads --procs", "e E", "i"),
    "tclsh": _syntax("encoding", "", ""),
    "guile": _syntax("L C l x e", "c s", "q"),
    "deno": _syntax("", "eval", "repl"),
}
# These read commands whatever they are given: a database, a file, a host.
_PROMPTS = frozenset(
    [
        "ipython", "bpython", "ptpython", "irb", "pry", "ghci", "iex", "erl", "jshell",
        "psql", "sqlite", "mysql", "mariadb", "redis-cli", "mongosh", "mongo", "R", "bc",
        "dc", "octave", "gdb", "lldb", "ftp", "sftp", "gnuplot", "ocaml", "utop", "sbcl",
        "scala", "maxima", "pdb", "ipdb", "pudb",
    ]
)  # fmt: skip
_MODULES = frozenset(["code", "asyncio", "sqlite3", "IPython", "idlelib"])
_KEYS = frozenset(
    [
        "less", "more", "most", "man", "info", "pager", "vi", "vim", "nvim", "view", "ex",
        "ed", "vimdiff", "gvim", "nvi", "emacs", "emacsclient", "nano", "pico", "micro",
        "hx", "helix", "kak", "joe", "mcedit", "top", "htop", "btop", "atop", "fzf", "sk",
        "peco", "tig", "lazygit", "gitui", "mc", "ranger", "nnn", "lf", "w3m", "lynx",
        "dialog", "whiptail",
    ]
)  # fmt: skip
_RELAYS = frozenset(
    [
        "script", "tmux", "screen", "zellij", "dtach", "abduco", "ssh", "mosh-client",
        "telnet", "docker", "podman", "nerdctl", "kubectl", "oc", "lxc", "incus",
        "machinectl", "systemd-run", "sudo", "doas", "rlwrap", "unbuffer", "expect",
        "asciinema", "socat", "nc", "picocom", "minicom", "vagrant", "distrobox",
    ]
)  # fmt: skip
# What starts a REPL or a debugger from within a program given as an argument.
_STARTS = re.compile(
    r"\binteract\(|\brepl\W{1,3}start\b|\bembed\(|\bset_trace\(|\bbreakpoint\("
    r"|\bbinding\.(?:irb|pry)\b|\bpty\.spawn\("
)
_STDIN = frozenset(["-", "/dev/stdin", "/dev/tty", "/dev/fd/0", "/proc/self/fd/0"])


def reads(exe: str, argv: Sequence[str], inspect: str = "") -> Reads:
    """Tell what the program does with what is typed.

    `exe` is the path of its executable, "" when the kernel does not tell; `inspect`
    is PYTHONINSPECT of its environment.
    """
    named = _stem(argv[0]) if argv else ""
    name = _stem(exe) or named
    words = list(argv[1:])
    if name in ("busybox", "toybox"):
        # One executable for many programs: the first word that is not it tells which.
        inside = named in ("busybox", "toybox")
        name = (_stem(words.pop(0)) if words else "sh") if inside else named
    if name in _PROMPTS or (name == "pwsh" and _pwsh_asks(words)):
        return Reads.COMMANDS
    if name in _SHELLS:
        return _interpreter(_SHELLS[name], words)
    if name in _LANGUAGES:
        return _language(name, named, words, inspect)
    if name in _KEYS:
        return Reads.KEYS
    return Reads.RELAY if name in _RELAYS else Reads.TEXT


def _stem(path: str) -> str:
    name = PurePath(path).name.lstrip("-")
    return name.partition(".")[0].rstrip("0123456789-")


def _language(name: str, named: str, words: list[str], inspect: str) -> Reads:
    if named != name and words and not any(words):
        # Node writes `process.title` over its arguments and leaves blanks behind.
        return Reads.TEXT
    syntax = _LANGUAGES[name]
    flags, rest = _scan(syntax, words)
    python = syntax is _PYTHON
    if python and inspect and not {"E", "I"} & flags:
        return Reads.COMMANDS
    found = _judge(syntax, flags, rest)
    if found is not Reads.TEXT or not rest:
        return found
    program = rest[0]
    if python and "m" in flags:
        program = program.partition(".")[0]
        return Reads.COMMANDS if program in _MODULES | _PROMPTS else Reads.TEXT
    if flags & syntax.runs and _STARTS.search(program):
        return Reads.COMMANDS
    if "c" in flags or program in ("inspect", "repl"):
        return Reads.TEXT if "c" in flags else Reads.COMMANDS
    stem = _stem(program)
    if stem in _PROMPTS or stem == "xonsh":
        return Reads.COMMANDS
    return Reads.KEYS if stem in _KEYS else Reads.TEXT


def _interpreter(syntax: _Syntax, words: Sequence[str]) -> Reads:
    return _judge(syntax, *_scan(syntax, words))


def _judge(syntax: _Syntax, flags: set[str], rest: Sequence[str]) -> Reads:
    if flags & syntax.asks:
        return Reads.COMMANDS
    if flags & syntax.runs:
        return Reads.TEXT
    return Reads.TEXT if rest and rest[0] not in _STDIN else Reads.COMMANDS


def _scan(syntax: _Syntax, words: Sequence[str]) -> tuple[set[str], list[str]]:
    """Return the options, without their values, and what follows them."""
    flags: set[str] = set()
    left = list(words)
    while left and left[0][:1] in ("-", "+") and left[0] not in ("-", "+"):
        word = left.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            name, equals, _ = word.partition("=")
            flags.add(name)
            if name in syntax.values and not equals and left:
                left.pop(0)
            if syntax.ends and name in syntax.runs:
                break
            continue
        if _letters(syntax, word, flags, left):
            break
    return flags, left


def _letters(syntax: _Syntax, word: str, flags: set[str], left: list[str]) -> bool:
    """Take a word of one-letter options; tell whether the options end with it."""
    for place, letter in enumerate(word[1:], 2):
        if word[0] == "-":
            flags.add(letter)
        if syntax.ends and letter in syntax.runs:
            if word[place:]:
                left.insert(0, word[place:])
            return True
        if letter in syntax.values:
            # A shell takes the next word for the value, the others the rest of this.
            attached = bool(word[place:]) and syntax is not _POSIX
            if not attached and left:
                left.pop(0)
            if attached:
                return False
    return False


def _pwsh_asks(words: Sequence[str]) -> bool:
    flags = {word.lower() for word in words}
    runs = {"-c", "-command", "-f", "-file", "-ec", "-encodedcommand"} & flags
    script = any(word.endswith(".ps1") for word in flags)
    return "-noexit" in flags or not (runs or script)
