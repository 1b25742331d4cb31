"""A throw-away world for each test, and a detector for what a test leaves behind."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import uuid
from collections.abc import Generator, Iterator
from pathlib import Path
from types import ModuleType

import hypothesis
import pytest

from tests.support import leaks
from tests.support.wait import until

hypothesis.settings.register_profile(
    "mdtmux",
    database=None,
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
)
hypothesis.settings.load_profile("mdtmux")

# A shell without job control starts `make test &` with SIGINT ignored, which every
# program that a test starts would inherit: then ^C ends none of them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_FAILED = pytest.StashKey[bool]()
# What a developer's shell may carry and what would change a test's outcome.
_FOREIGN = (
    "TMUX", "GIT_", "MDTMUX_", "MUNDER_", "CLAUDE", "ANTHROPIC_", "OPENAI_",
    "OPENCODE", "XDG_", "LC_", "PYTHONDONTWRITEBYTECODE", "NO_COLOR", "FORCE_COLOR",
    "CLICOLOR", "COLUMNS", "LINES", "BASH_ENV", "ENV", "ZDOTDIR", "EDITOR", "VISUAL",
    "PAGER", "PS1", "PROMPT",
)  # fmt: skip
# Modules and fixtures by which a test that starts no program is told from the others.
_REAL = (
    "subprocess", "pty", "tests.support.cli", "tests.support.repos",
    "mdtmux.system.tmux", "mdtmux.system.control", "mdtmux.system.processes",
    "mdtmux.system.git", "mdtmux.system.launch",
)  # fmt: skip
_PURE_FIXTURES = {
    "capsys", "monkeypatch", "request", "tmp_path", "tmp_path_factory", "world",
}  # fmt: skip
_GITCONFIG = """\
[user]
    name = Test Person
    email = test@example.invalid
[init]
    defaultBranch = main
[commit]
    gpgSign = false
[gc]
    auto = 0
[maintenance]
    auto = false
"""


def _environment(base: Path, mark: str) -> dict[str, str]:
    home = base / "home"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_RUNTIME_DIR": str(base / "run"),
        "TMUX_TMPDIR": str(base),
        "TMPDIR": str(base / "tmp"),
        "SHELL": "/bin/sh",
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        leaks.MARK: mark,
    }


def _become(environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None


def _without_pytest(environment: dict[str, str]) -> dict[str, str]:
    return {k: v for k, v in environment.items() if k != "PYTEST_CURRENT_TEST"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that start programs, told by what their module and fixtures use."""
    for item in items:
        names = vars(getattr(item, "module", item)).values()
        used = {getattr(value, "__module__", None) for value in names}
        used |= {value.__name__ for value in names if isinstance(value, ModuleType)}
        fixtures = set(getattr(item, "fixturenames", ())) - _PURE_FIXTURES
        if fixtures or any(str(name).startswith(_REAL) for name in used):
            item.add_marker("real")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember whether a test failed: its leaks are then a consequence, not news."""
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


@pytest.fixture(autouse=True)
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Give the test its own HOME, XDG folders, tmux sockets and working directory.

    Its path is short, because a tmux socket's path has at most 107 bytes. After the
    test everything it left running is ended, and makes the test fail.
    """
    # pytest makes its folder at first use, which must not happen inside a world.
    tmp_path_factory.getbasetemp()
    base = Path(tempfile.mkdtemp(prefix="mdt", dir="/tmp")).resolve()
    for name in ("home", "run", "tmp", "here"):
        (base / name).mkdir(mode=0o700)
    (base / "home/.gitconfig").write_text(_GITCONFIG, encoding="utf-8")
    mark = uuid.uuid4().hex
    before, cwd = dict(os.environ), Path.cwd()
    inside = _environment(base, mark)
    _become(inside)
    os.chdir(base / "here")
    try:
        yield base
        after = _without_pytest(dict(os.environ))
    finally:
        os.chdir(cwd)
        _become(before)
        left = _clean(base, mark)
        shutil.rmtree(base, ignore_errors=True)
    if not request.node.stash.get(_FAILED, False):
        assert left == [], "the test left this running"
        assert after == _without_pytest(inside), "the test changed the environment"


def _clean(base: Path, mark: str) -> list[str]:
    """End what is left of a test and return a line for each thing."""
    left = [f"tmux server on {socket}" for socket in leaks.servers(base)]
    leaks.end_servers(base)
    try:
        until(lambda: not leaks.leaked(base, mark), seconds=leaks.GRACE)
    except AssertionError:
        found = leaks.leaked(base, mark)
        leaks.end(found)
        left += [str(leak) for leak in found]
    return left


@pytest.fixture
def tidy(world: Path) -> Iterator[Path]:
    """End the test's tmux servers and their panes before the leak detector looks.

    For tests that need an office but are not about taking one down.
    """
    yield world
    leaks.end_servers(world)
    mark = os.environ[leaks.MARK]
    until(lambda: not leaks.servers(world), what="end of the test's tmux servers")
    leaks.end(leaks.leaked(world, mark))


@pytest.fixture
def repo(world: Path) -> Path:
    """Return a git repository with one commit on `main`, in the working directory."""
    from tests.support.repos import make_repo

    return make_repo(world / "here" / "repo")
