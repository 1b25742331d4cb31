"""What an office needs of the machine, and whether it is there."""

from __future__ import annotations

import codecs
import locale
import os
import platform
import re
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.system.files import private_dir, state_root
from mdtmux.system.programs import run
from mdtmux.system.tmux import Socket

# tmux: control clients that can say `no-output`, and popups, came with 3.2.
# git: `worktree list -z`, without which paths cannot be read reliably, came with 2.36.
NEEDED: Mapping[str, tuple[tuple[str, ...], tuple[int, int]]] = {
    "tmux": (("tmux", "-V"), (3, 2)),
    "git": (("git", "--version"), (2, 36)),
}
AGENTS: Mapping[str, str] = {
    "claude": "npm install -g @anthropic-ai/claude-code",
    "opencode": "npm install -g opencode-ai",
    "gemini": "npm install -g @google/gemini-cli",
    "qwen": "npm install -g @qwen-code/qwen-code",
    "codex": "npm install -g @openai/codex",
    "openclaw": "npm install -g openclaw",
    "pi": "npm install -g @earendil-works/pi-coding-agent",
}
MANAGERS: Mapping[str, str] = {
    "apt-get": "apt-get install -y --no-install-recommends",
    "dnf": "dnf install -y",
    "pacman": "pacman -S --needed --noconfirm",
    "apk": "apk add",
    "zypper": "zypper --non-interactive install",
    "brew": "brew install",
}
# sun_path of a Unix socket holds 108 bytes on Linux and 104 on macOS, one for NUL.
SOCKET_PATH = 103 if platform.system() == "Darwin" else 107


class Verdict(StrEnum):
    """How a check came out; only `missing` keeps an office from coming up."""

    OK = "ok"
    OPTIONAL = "optional"
    WARNING = "warning"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: what was looked at, what was found, and the command that helps.

    `package` is set when the system's package manager brings it.
    """

    name: str
    verdict: Verdict
    found: str
    fix: str = ""
    package: str = ""


def manager() -> str | None:
    """Return this system's package manager, None when it has none that is known."""
    return next((name for name in MANAGERS if shutil.which(name)), None)


def may_install() -> bool:
    """Tell whether packages can be installed without asking for a password."""
    return manager() == "brew" or (manager() is not None and os.geteuid() == 0)


def install_line(package: str) -> str:
    """Return the one command that installs the package here, as a person types it."""
    tool = manager()
    if tool is None:
        return f"install {package} with your package manager"
    sudo = "" if may_install() else "sudo "
    return f"{sudo}{MANAGERS[tool]} {package}"


def parse_version(text: str) -> tuple[int, int] | None:
    """Return the first `MAJOR.MINOR` in what a program says of itself."""
    match = re.search(r"(\d+)\.(\d+)", text)
    return (int(match.group(1)), int(match.group(2))) if match else None


def _program(name: str) -> Check:
    argv, least = NEEDED[name]
    need = f"{least[0]}.{least[1]} or newer"
    fix = install_line(name)
    if shutil.which(name) is None:
        found = f"not found; {need} is needed"
        return Check(name, Verdict.MISSING, found, fix, package=name)
    try:
        said = run(argv).out.strip()
    except MdtmuxError as error:
        return Check(name, Verdict.MISSING, error.message, fix, package=name)
    version = parse_version(said)
    if version is None:
        found = f"`{said}`: cannot tell its version; {need} is needed"
        return Check(name, Verdict.WARNING, found)
    if version < least:
        found = f"{said} is too old; {need} is needed"
        return Check(name, Verdict.MISSING, found, fix, package=name)
    return Check(name, Verdict.OK, said)


def _python() -> Check:
    return Check("python", Verdict.OK, platform.python_version())


def _on_path() -> Check:
    """Agents call `mdtmux` by its name."""
    found = shutil.which("mdtmux")
    if found:
        return Check("mdtmux", Verdict.OK, found)
    text = "not on PATH; panes get it, your shell does not"
    return Check("mdtmux", Verdict.WARNING, text, "pipx ensurepath")


def _identity() -> Check:
    """Agents commit as the user; git refuses to without a name and an address."""
    name = "git identity"
    fix = "git config --global user.name NAME; git config --global user.email ADDRESS"
    try:
        # The format that git itself uses for a commit, from files and environment.
        done = run(("git", "var", "GIT_COMMITTER_IDENT"), cwd=Path("/"))
    except MdtmuxError:
        return Check(name, Verdict.WARNING, "cannot be told without git")
    if done.code != 0:
        return Check(name, Verdict.WARNING, "not set: agents cannot commit", fix)
    return Check(name, Verdict.OK, done.out.partition(">")[0].strip() + ">")


def _state() -> Check:
    root = state_root()
    fix = "set XDG_STATE_HOME to a folder that you can write"
    try:
        private_dir(root)
    except MdtmuxError as error:
        return Check("state", Verdict.MISSING, error.message, fix)
    if not os.access(root, os.W_OK | os.X_OK):
        return Check("state", Verdict.MISSING, f"`{root}` cannot be written", fix)
    mode = stat.S_IMODE(root.stat().st_mode)
    if mode & 0o077:
        found = f"`{root}` can be read by others (mode {mode:o})"
        return Check("state", Verdict.WARNING, found, f"chmod 700 '{root}'")
    return Check("state", Verdict.OK, str(root))


def _socket() -> Check:
    path = Socket("own").path()
    size = len(os.fsencode(path))
    if size > SOCKET_PATH:
        found = f"`{path}` has {size} bytes; {SOCKET_PATH} is the most for a socket"
        fix = "set TMUX_TMPDIR to a folder with a short path"
        return Check("socket", Verdict.MISSING, found, fix)
    folder = next(p for p in (path.parent, *path.parents) if p.exists())
    if not os.access(folder, os.W_OK | os.X_OK):
        fix = "set TMUX_TMPDIR to a folder that you can write"
        return Check("socket", Verdict.MISSING, f"`{folder}` cannot be written", fix)
    state = "a server listens" if Socket("own").listens() else "no server runs"
    return Check("socket", Verdict.OK, f"{path} ({state})")


def _locale() -> Check:
    """Panes are UTF-8 whatever the locale; what the user's terminal gets is not."""
    encoding = codecs.lookup(locale.getencoding()).name
    if encoding == "utf-8":
        return Check("locale", Verdict.OK, "UTF-8")
    found = f"{encoding}: an attached terminal shows other letters as `_`"
    return Check("locale", Verdict.WARNING, found, "export LC_ALL=C.UTF-8")


def _optional(name: str, why: str, fix: str) -> Check:
    found = shutil.which(name)
    if found:
        return Check(name, Verdict.OK, found)
    return Check(name, Verdict.OPTIONAL, f"not installed ({why})", fix)


def examine() -> list[Check]:
    """Look at everything; starts `tmux -V` and git, and no server."""
    shells = [
        _optional(shell, "completion is ready for it", install_line(shell))
        for shell in ("bash", "zsh", "fish")
    ]
    agents = [_optional(name, "an agent CLI", fix) for name, fix in AGENTS.items()]
    return [
        _python(),
        _program("tmux"),
        _program("git"),
        _identity(),
        _on_path(),
        _state(),
        _socket(),
        _locale(),
        *shells,
        *agents,
    ]


def install(packages: list[str]) -> None:
    """Install packages with the system's manager.

    Raises:
        MdtmuxError: there is none that may be used, or it failed; its words follow.
    """
    tool = manager()
    if tool is None or not may_install():
        message = "cannot install without being root"
        raise MdtmuxError(message, hint=f"type: {install_line(' '.join(packages))}")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if tool == "apt-get":
        run((tool, "update"), env=env, timeout=300)
    done = run((*MANAGERS[tool].split(), *packages), env=env, timeout=900)
    if done.code != 0:
        last = "\n".join((done.out + done.err).strip().splitlines()[-10:])
        message = f"`{tool}` could not install {' '.join(packages)}:\n{last}"
        raise MdtmuxError(message)
