"""Run real agent CLIs in an office, against a scripted model, without a network.

    python tests/real/run.py [--only NAME] [--version NAME=VERSION] [--keep]

Installs the CLIs from npm into a cache folder, then runs `tests.real.checks` in a
network namespace that has nothing but a loopback interface, with an empty environment,
a HOME of its own and keys that are none. Linux only; as another user than root it
needs user namespaces.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# The package of each CLI, and the versions that the kinds were measured on.
PACKAGES = {
    "claude": ("@anthropic-ai/claude-code", "2.1.332"),
    "opencode": ("opencode-ai", "1.18.33"),
    "codex": ("@openai/codex", "0.171.0"),
    "gemini": ("@google/gemini-cli", "0.61.0"),
    "qwen": ("@qwen-code/qwen-code", "0.24.4"),
    "pi": ("@earendil-works/pi-coding-agent", "1.6.0", "0.74.2"),
    "openclaw": ("openclaw", "2026.9.6"),
}
# The version of Node.js that is installed beside a CLI that runs on none older.
NODE = "24.21.0"
NEEDS_NODE = ("pi-1.6.0", "openclaw-2026.9.6")


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def cache() -> Path:
    """Return the folder that keeps the installed CLIs."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "mdtmux" / "agents"


def install(name: str, version: str) -> Path:
    """Install a CLI unless it is there, and return the folder of its program."""
    folder = cache() / f"{name}-{version}"
    programs = folder / "node_modules" / ".bin"
    if not (folder / "installed").exists():
        say(f"installing {name} {version} into {folder}")
        folder.mkdir(parents=True, exist_ok=True)
        package = f"{PACKAGES[name][0]}@{version}"
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", "."]
        path = os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)])
        env = {**os.environ, "PATH": path}
        if folder.name in NEEDS_NODE:
            # First: the CLI's own installation may refuse an older one.
            subprocess.run([*command, f"node@{NODE}"], cwd=folder, check=True)
        subprocess.run([*command, package], cwd=folder, env=env, check=True)
        (folder / "installed").touch()
    return programs


def isolated() -> list[str]:
    """Return the command in front of one that shall have a loopback interface only."""
    for flags in (["-n"], ["-rn"]):
        command = ["unshare", *flags, "--"]
        if (
            shutil.which("unshare")
            and not subprocess.run(
                [*command, "true"], capture_output=True, check=False
            ).returncode
        ):
            return command
    sys.stderr.write(
        "error: `unshare -n` does not work here\n"
        "hint: run it on Linux, as root or where user namespaces are allowed\n"
    )
    raise SystemExit(1)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", choices=PACKAGES, help="run one CLI")
    parser.add_argument("--version", action="append", default=[], metavar="NAME=VER")
    parser.add_argument(
        "--keep", action="store_true", help="keep the folder of the run"
    )
    return parser.parse_args()


def main() -> int:
    """Install, isolate, check; return 1 when a check failed."""
    chosen = arguments()
    versions = {name: known for name, (_, *known) in PACKAGES.items()}
    given = [word.split("=", 1) for word in chosen.version]
    versions |= {name: [v for n, v in given if n == name] for name, _ in given}
    names = [chosen.only] if chosen.only else list(PACKAGES)
    before = isolated()
    about = [
        f"{name}={version}={install(name, version)}"
        for name in names
        for version in versions[name]
    ]
    # A short path: tmux puts its socket below it.
    home = Path(tempfile.mkdtemp(prefix="mdr-", dir="/tmp"))
    system = [
        "/usr/local/sbin",
        "/usr/local/bin",
        "/usr/sbin",
        "/usr/bin",
        "/sbin",
        "/bin",
    ]
    node = shutil.which("node")
    env = {
        "HOME": str(home / "home"),
        "PATH": os.pathsep.join(
            [str(Path(sys.executable).parent), *system]
            + ([str(Path(node).parent)] if node else [])
        ),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "SHELL": "/bin/sh",
        "TMUX_TMPDIR": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        # These sources, wherever the interpreter has installed others from.
        "PYTHONPATH": str(ROOT),
    }
    check = [sys.executable, "-m", "tests.real.checks", str(home), *about]
    try:
        return subprocess.run(
            [*before, *check], cwd=ROOT, env=env, check=False
        ).returncode
    finally:
        if chosen.keep:
            say(f"kept {home}")
        else:
            shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
