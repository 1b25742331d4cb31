"""What a program does with typed text, by its executable and its arguments."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.system.interpreters import Reads, reads


def told(line: str, exe: str | None = None) -> Reads:
    """Judge a command line whose first word is its executable unless one is given."""
    words = shlex.split(line)
    return reads(words[0] if exe is None else exe, words)


@pytest.mark.parametrize(
    "line",
    [
        "bash", "-bash", "/bin/sh", "bash -o vi", "bash +o posix", "bash --rcfile F",
        "bash --init-file=F", "bash +O extglob", "bash -eo pipefail", "bash -l",
        "bash --", "bash -", "bash /dev/stdin", "bash -s one", "bash -i script",
        "zsh -f -o vi", "ksh -o vi", "dash", "ksh93", "fish -C true", "fish",
        "fish --init-command true", "fish -d 3", "nu -e ls", "busybox sh", "busybox",
        "pwsh", "pwsh -NoExit -Command ls", "python3", "python3.11 -q", "pypy3",
        "python3 -X utf8", "python3 -W ignore", "python3 -m code", "python3 -m pdb x.py",
        "python3 -m IPython", "python3 -i x.py", "python3 -", "python /usr/bin/ipython",
        "node", "node -r x.js", "node --require x.js", "node -i", "node inspect x.js",
        "perl -de0", "lua", "lua -i x.lua", "php -a", "irb", "psql base", "sqlite3 f.db",
        "gdb --args x", "bc -q", "deno", "deno repl",
    ],
)  # fmt: skip
def test_what_executes_typed_text(line: str) -> None:
    """Shells, REPLs and debuggers are known whatever options they were given."""
    assert told(line) is Reads.COMMANDS


@pytest.mark.parametrize(
    "line",
    [
        "bash script.sh", "sh -c 'python tui.py'", "bash -euo pipefail script.sh",
        "bash -o errexit -c x", "zsh -f script", "fish script.fish", "fish -c x",
        "fish --command=x", "nu script.nu", "pwsh -File x.ps1", "busybox xyz x",
        "python tui.py -i", "python3 -X utf8 tui.py", "python3 -m agent --code",
        "python3 -c 'import x' -i", "python3 -Wignore -m pkg.code", "uv run agent",
        "node cli.js -i", "node -r x.js cli.js", "node --import=x cli.js",
        "node --max-old-space-size=4096 cli.js", "node -e 'x()'", "claude", "opencode",
        "perl agent.pl", "ruby agent.rb", "lua -e x", "php agent.php", "deno run x.ts",
        "npx claude", "env X=1 claude", "cat", "",
    ],
)  # fmt: skip
def test_what_is_a_program_of_its_own(line: str) -> None:
    """Scripts, `-c` texts, modules and compiled programs take text."""
    assert told(line or "''") is Reads.TEXT


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("less FILE", Reads.KEYS), ("vi", Reads.KEYS), ("man ls", Reads.KEYS),
        ("top", Reads.KEYS), ("fzf", Reads.KEYS), ("vim.basic x", Reads.KEYS),
        ("python3 /usr/bin/ranger", Reads.KEYS), ("script -c bash", Reads.RELAY),
        ("tmux attach", Reads.RELAY), ("ssh host", Reads.RELAY),
        ("docker run -it x", Reads.RELAY),
    ],
)  # fmt: skip
def test_pagers_editors_and_relays(line: str, found: Reads) -> None:
    """Programs that take letters for orders, and those that pass text on, are told."""
    assert told(line) is found


@pytest.mark.parametrize(
    ("line", "exe", "found"),
    [
        ("myagent", "/usr/bin/bash", Reads.COMMANDS),
        ("vi", "/usr/bin/vim.basic", Reads.KEYS),
        ("bash", "/opt/agent/bin/agent", Reads.TEXT),
        ("sh", "/bin/busybox", Reads.COMMANDS),
        ("myagent", "/usr/bin/python3.11", Reads.COMMANDS),
        ("myagent tui.py", "/usr/bin/python3.11", Reads.TEXT),
        ("bash", "", Reads.COMMANDS),
    ],
)
def test_the_executable_goes_before_the_name(line: str, exe: str, found: Reads) -> None:
    """A link, `exec -a` or a disguise does not hide what runs."""
    assert told(line, exe) is found


def test_a_title_written_over_the_arguments_is_no_prompt() -> None:
    """Node leaves blanks behind its `process.title`; a real REPL has no arguments."""
    assert reads("/usr/bin/node", ("agent", "", "", "")) is Reads.TEXT
    assert reads("/usr/bin/node", ("node",)) is Reads.COMMANDS


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        (("node", "-e", "require('repl').start('> ')"), Reads.COMMANDS),
        (("python3", "-cimport code; code.interact()"), Reads.COMMANDS),
        (("python3", "-c", "import IPython; IPython.embed()"), Reads.COMMANDS),
        (("ruby", "-e", "binding.irb"), Reads.COMMANDS),
        (("python3", "-m", "replica", "embed()"), Reads.TEXT),
        (("python3", "-c", "while True: print(input('repl> '), 'interactive')"), Reads.TEXT),
        (("python3", "x.py", "code.interact()"), Reads.TEXT),
    ],
)  # fmt: skip
def test_a_program_in_the_arguments_that_starts_a_prompt(
    argv: tuple[str, ...], found: Reads
) -> None:
    """The source given with `-c` or `-e` tells when it starts a REPL or a debugger."""
    assert reads(argv[0], argv) is found


def test_python_can_be_told_to_ask_after_its_program() -> None:
    """PYTHONINSPECT leads to a prompt, unless the interpreter ignores it."""
    assert reads("python3", ("python3", "x.py"), "1") is Reads.COMMANDS
    assert reads("python3", ("python3", "-I", "x.py"), "1") is Reads.TEXT
    assert reads("bash", ("bash", "x.sh"), "1") is Reads.TEXT


@given(st.text(max_size=9), st.lists(st.text(max_size=9), max_size=6))
def test_any_command_line_can_be_judged(exe: str, words: list[str]) -> None:
    """Nothing in a command line makes it raise."""
    for name in (exe, "bash", "python3", "node", "busybox", "pwsh"):
        assert isinstance(reads(name, words), Reads)
