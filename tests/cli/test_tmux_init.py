"""The printed bindings, pressed by a person at a real tmux client."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.support.cli import run
from tests.support.office import Lab, make_lab, processes, tui
from tests.support.office import tmux as on_own
from tests.support.repos import make_repo
from tests.support.shells import ROOT, Pane, tmux
from tests.support.wait import until

INNER = ("tmux", "-L", "inner", "-f", "/dev/null")
PROGRAM = Path(sys.executable).parent / "mdtmux"


def _inner(*args: str, stdin: str = "") -> str:
    done = subprocess.run(
        [*INNER, *args], input=stdin, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def _office(world: Path) -> None:
    state = world / "home/.local/state/mdtmux/scranton-1"
    state.mkdir(parents=True)
    value = {
        "name": "scranton",
        "file": str(world / "office.yaml"),
        "repo": str(world),
        "common_dir": str(world / ".git"),
        "socket": "own",
        "session": "scranton",
        "version": None,
        "agents": [{"name": "jim", "role": "worker", "kind": "clerk"}],
    }
    (state / "office.json").write_text(json.dumps(value), encoding="utf-8")


def _printed(*args: str) -> str:
    """Return what the installed program prints, so that it binds its own path."""
    done = subprocess.run(
        [PROGRAM, "tmux-init", *args], capture_output=True, text=True, check=True
    )
    return done.stdout


def _client(bindings: str) -> Pane:
    """Attach a person's client to a server that has the bindings."""
    _inner("new-session", "-d", "-x", "100", "-y", "30", "exec cat")
    _inner("source-file", "-", stdin=bindings)
    attach = f"TMUX= exec {shlex.join(INNER)} attach"
    options = ["-P", "-F", "#{pane_id}", "-x", "100", "-y", "31"]
    pane = Pane(tmux("new-session", "-d", *options, attach).strip())
    # Two keys reach the inner server only when the outer one has no prefix.
    tmux("set-option", "-g", "prefix", "None")
    until(lambda: _inner("list-clients"), what="an attached client")
    pane.shows("[0]")
    return pane


def test_the_popup_shows_the_office_of_the_pane(tidy: Path) -> None:
    """The popup key opens `ps -w` of the office in whose pane one is; ^C closes it."""
    _office(tidy)
    pane = _client(_printed())
    _inner("set-option", "-p", "@mdtmux_office", "scranton-1")

    pane.press("C-b", "O")
    pane.shows("jim", "┐")
    pane.press("C-c")

    until(lambda: "┐" not in pane.screen(), what=lambda: f"no popup:\n{pane.screen()}")


@pytest.mark.parametrize("closed", ["by ^C", "by tmux"])
def test_a_closed_popup_leaves_nothing_behind(tidy: Path, closed: str) -> None:
    """No view that tells of a status lies over the pane: what is typed arrives."""
    _office(tidy)
    pane = _client(_printed())
    _inner("set-option", "-p", "@mdtmux_office", "scranton-1")
    pane.press("C-b", "O")
    pane.shows("jim", "┐")

    if closed == "by ^C":
        pane.press("C-c")
    else:
        _inner("display-popup", "-C")

    until(lambda: "┐" not in pane.screen(), what="no popup")
    # A job's view comes with its end, which a run-shell that waits comes after.
    until(lambda: not processes("ps"), what="the end of `ps -w`")
    _inner("run-shell", "true")
    pane.press("h", "i")
    pane.shows("hi")
    assert _inner("display-message", "-p", "#{pane_in_mode}") == "0"


def test_a_popup_that_fails_stays_to_be_read(tidy: Path) -> None:
    """Where there is no office the popup says so until a key is pressed."""
    pane = _client(_printed())

    pane.press("C-b", "O")
    pane.shows("error: no office has been brought up")
    pane.press("Enter")

    until(lambda: "error: " not in pane.screen(), what="no popup")


def test_the_jump_says_why_it_went_nowhere(tidy: Path) -> None:
    """The key for the next waiting agent shows a message when none waits."""
    _office(tidy)
    pane = _client(_printed())
    _inner("set-option", "-p", "@mdtmux_office", "scranton-1")

    pane.press("C-b", "W")

    pane.shows("error: ")


def test_the_jump_opens_a_window_of_ones_own_tmux(tidy: Path) -> None:
    """The office's server is another one; a second jump uses the window again."""
    lab = make_lab(tidy)
    dialogs = [{"name": n, "command": tui(n, "dialog=menu")} for n in "ab"]
    lab.write([*dialogs, {"name": "c", "command": tui("c")}])
    lab.run("up")
    panes = {name: row["pane"] for name, row in lab.rows().items()}
    pane = _client(_printed())
    _inner("set-option", "-p", "@mdtmux_office", lab.state().name)
    form = "#{client_session} #{pane_id}"

    def shown() -> list[str]:
        return on_own("list-clients", "-F", form).splitlines()

    def windows() -> list[str]:
        form = "#{window_name} #{window_active}"
        return _inner("list-windows", "-F", form).splitlines()[1:]

    for name in ("b", "a"):
        pane.press("C-b", "W")
        until(partial(_is, shown, [f"lab {panes[name]}"]), what=f"a client on {name}")
        until(partial(_is, windows, ["lab 1"]), what="the window in front")
        _inner("select-window", "-t", ":0")
    on_own("detach-client", "-s", "lab")
    until(lambda: len(_inner("list-windows").splitlines()) == 1, what="its end")


def test_the_jump_is_about_the_folder_one_stands_in(tidy: Path) -> None:
    """Of two offices it is the one of the pane's folder, whatever that is called."""
    lab, there = make_lab(tidy), Lab(tidy / "it's $HOME")
    make_repo(there.repo)
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    there.write([{"name": "b", "command": tui("b", "dialog=menu")}], name="two")
    for office in (lab, there):
        office.run("up")
    pane = _client(_printed())
    _inner("respawn-pane", "-k", "-c", str(there.home), "cat")

    pane.press("C-b", "W")

    until(lambda: "two" in _inner("list-windows", "-F", "#{window_name}"), seconds=20)
    on_own("detach-client", "-s", "two")


def _is(seen: Callable[[], object], wanted: object) -> bool:
    return seen() == wanted


def test_keys_can_be_chosen(tidy: Path) -> None:
    """Both keys are the user's to choose, quotes and all."""
    _client(_printed("--popup-key", "F12", "--next-key", "'"))

    keys = _inner("list-keys", "-T", "prefix", "-N").splitlines()

    ours = {line.split()[0] for line in keys if "mdtmux: " in line}
    assert ours == {"F12", "'"} or ours == {"C-b"}
    assert any("F12" in line for line in keys if "mdtmux: the office" in line)


def test_nothing_else_in_the_server_changes(tidy: Path) -> None:
    """Options, hooks and the other keys are as they were."""

    def everything() -> list[str]:
        shown = ("list-keys", "show-options -g", "show-options -s", "show-hooks -g")
        lines = [line for s in shown for line in _inner(*s.split()).splitlines()]
        return [line for line in lines if "mdtmux" not in line]

    _inner("new-session", "-d", "exec cat")
    before = everything()

    _inner("source-file", "-", stdin=_printed())

    assert everything() == before


def test_the_plugin_entry_binds_the_same_keys(tidy: Path) -> None:
    """The file that the tmux plugin manager runs does what the manual's line does."""
    path = f"{PROGRAM.parent}:{os.environ['PATH']}"
    _inner("new-session", "-d", "exec cat")
    _inner("set-option", "-g", "@mdtmux_popup_key", "F9")
    command = f"PATH={shlex.quote(path)} {shlex.quote(str(ROOT / 'mdtmux.tmux'))}"

    _inner("run-shell", command)

    keys = _inner("list-keys", "-T", "prefix")
    assert "F9" in keys
    assert "--next-waiting" in keys


def test_an_odd_path_of_the_program_is_bound_as_it_is(tidy: Path) -> None:
    """Spaces, quotes, `#` and `$` in the program's path survive three layers of quoting."""
    folder = tidy / 'it\'s #{a} $HOME "dir"'
    folder.mkdir()
    (folder / "mdtmux").write_text(
        f"#!{sys.executable}\nfrom mdtmux.cli.main import main\nmain()\n",
        encoding="utf-8",
    )
    (folder / "mdtmux").chmod(0o755)
    printed = subprocess.run(
        [folder / "mdtmux", "tmux-init"], capture_output=True, text=True, check=True
    )
    pane = _client(printed.stdout)

    pane.press("C-b", "O")

    pane.shows("error: no office has been brought up")
    pane.press("Enter")


def test_without_a_program_file_the_name_is_bound() -> None:
    """Run as a module, it binds the plain name and leaves the place to PATH."""
    assert "mdtmux #{?@mdtmux_office" in run("tmux-init").out
