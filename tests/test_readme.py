"""The manual tells the truth: its blocks run, and nothing is missing from it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from mdtmux import errors
from mdtmux.cli.main import HIDDEN, VERBS, cli
from mdtmux.errors import MdtmuxError
from tests.support.cli import run
from tests.support.repos import make_repo
from tests.support.shells import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# What exists beside an office file in the README's examples.
FILES = {
    "README.md": "# a repository\n",
    "prompts/boss.md": "You lead.\n",
    ".env": "A=1\n",
    ".gitignore": ".env\n",
}
SEEN_VERBS = [verb for verb in VERBS if verb not in HIDDEN]


def _blocks(language: str) -> Iterator[str]:
    for page in PAGES:
        for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
            if match.group(1) == language:
                yield match.group(2)


def _matches(expected: str, printed: str) -> bool:
    """Compare with `…` for any text; a line of `…` alone is any lines, or none."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "…":
            pattern += "(?:.*\n)*"
        else:
            pattern += ".*".join(map(re.escape, line.rstrip().split("…"))) + r"\s*\n"
    return re.fullmatch(pattern, printed) is not None


def _steps(block: str) -> Iterator[tuple[str, str]]:
    """Give each command of a console block with what it is said to print."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def test_what_is_made_from_the_program_is_up_to_date() -> None:
    """Completions, the reference and the README's tables are those of this program."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/generate.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("block", list(_blocks("yaml")))
def test_every_office_file_shown_is_valid(world: Path, block: str) -> None:
    """Each YAML block is a whole office file that `config validate` accepts."""
    repo = make_repo(world / "here/repo", FILES)
    (repo / "office.yaml").write_text(block, encoding="utf-8")

    result = run("config", "validate", cwd=repo)

    assert result.code == 0, result.err


def test_every_session_shown_runs(tidy: Path) -> None:
    """The console blocks, one after the other in one repository, print what they say."""
    repo = make_repo(tidy / "here/repo", FILES)
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    for block in _blocks("console"):
        for command, expected in _steps(block):
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                cwd=repo,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"$ {command}\n{done.stdout}"
            told = f"$ {command}\nsaid:\n{expected}\nprinted:\n{done.stdout}"
            assert _matches(expected, done.stdout), told


@pytest.mark.parametrize("verb", SEEN_VERBS)
def test_every_verb_is_mentioned_and_has_help(verb: str) -> None:
    """A verb that the manual does not name, or that explains nothing, does not exist."""
    assert f"`{verb}`" in README
    assert len(run(verb, "--help").out.splitlines()) > 3


def _codes(kind: type[MdtmuxError]) -> set[int]:
    return {kind.exit_code}.union(*(_codes(below) for below in kind.__subclasses__()))


def test_every_exit_code_is_listed() -> None:
    """The table has each code that an error carries, and those of success and signals."""
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)}

    assert listed == _codes(errors.MdtmuxError) | {0, 3, 130, 141, 143}


def test_every_environment_variable_is_listed() -> None:
    """Whatever the program reads or sets in a pane stands in the manual."""
    sources = (ROOT / "mdtmux").rglob("*.py")
    text = "\n".join(file.read_text(encoding="utf-8") for file in sources)
    # Between the parts of the program alone: the launcher's own, and those of Tab.
    used = set(re.findall(r"(?<!_)\bMDTMUX_[A-Z_]+\b", text)) - {"MDTMUX_LAUNCH"}

    assert {name for name in used if f"`{name}" not in README} == set()


def _examples() -> Iterator[str]:
    """Give every `mdtmux …` that the pages and the help texts show."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        yield from re.findall(r"`(mdtmux [a-z][^`\n]*)`", text)
    for block in (*_blocks("sh"), *_blocks("console")):
        yield from re.findall(r"^(?:\$ )?(mdtmux [a-z][^|#\n]*)", block, re.MULTILINE)
    for verb in SEEN_VERBS:
        command = cli.get_command(click.Context(cli), verb)
        yield from re.findall(
            r"`(mdtmux [a-z][^`\n]*)`", (command and command.help) or ""
        )


def _fault(example: str) -> str | None:
    try:
        words = shlex.split(example.replace("…", ""))
    except ValueError:  # its text goes on in the next line
        words = example.split()
    command = cli.get_command(click.Context(cli), words[1])
    if command is None:
        return f"no verb {words[1]}"
    if isinstance(command, click.Group) and len(words) > 2:
        command = command.commands.get(words[2])
        if command is None:
            return f"no verb {words[1]} {words[2]}"
    known = {name for param in command.params for name in param.opts}
    known |= {name for param in command.params for name in param.secondary_opts}
    options = {word.split("=")[0] for word in words if word.startswith("--")}
    wrong = options - known - {"--help", "--"}
    return f"no option {sorted(wrong)}" if wrong and words[1] != "clerk" else None


def test_every_command_line_shown_exists() -> None:
    """No page and no help text names a verb or an option that is not there."""
    faults = {example: _fault(example) for example in _examples()}

    assert {example: fault for example, fault in faults.items() if fault} == {}
    assert len(faults) > 20


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every link to a file of the project finds it."""
    links = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]

    assert [link for link in local if not (page.parent / link).exists()] == []


def test_every_target_of_the_makefile_has_a_word() -> None:
    """`make help` lists each target that people are to call."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))

    told = subprocess.run(
        ["make", "-C", str(ROOT), "--no-print-directory", "help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    named = {line.split()[0] for line in told.splitlines()}
    assert targets - named == {"setup", "setup-test"}
    assert len(makefile.splitlines()) <= 60


def test_the_version_has_a_place_in_the_changelog() -> None:
    """What is released is described."""
    version = run("--version").out.split()[-1]

    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("word", ["simply", "robust", "seamless", "powerful", "easily"])
def test_the_manual_does_not_praise_itself(word: str) -> None:
    """The manual says what happens, and leaves the adjectives to its readers."""
    assert word not in README.lower()


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("…\n", "", True),
        ("…\n", "a\nb\n", True),
        ("…b…\n", "abc\n", True),
        ("a\n…\n", "b\nc\n", False),
        ("", "something\n", False),
    ],
)
def test_outputs_are_compared_with_care(
    expected: str, printed: str, same: bool
) -> None:
    """The comparison that the sessions rest on can fail."""
    assert _matches(expected, printed) is same
