"""The door to tmux: text arrives as it is, answers are read as they are."""

from __future__ import annotations

import os
import signal
import subprocess
from functools import partial
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mdtmux.errors import NoServer, TimedOut, TmuxError, UsageError
from mdtmux.names import PaneId
from mdtmux.system.answers import parse_pane, plain
from mdtmux.system.control import ControlTmux
from mdtmux.system.screen import Screen
from mdtmux.system.survey import survey
from mdtmux.system.tmux import Socket, Tmux, line, quote
from tests.support import leaks
from tests.support.wait import until

_WORDS = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs", "Cc"])
)


@pytest.fixture
def server(tidy: Path) -> Tmux:
    """Return an own server with one session `s` whose pane sleeps."""
    tmux = Tmux(Socket("own"))
    tmux.batch(
        line(
            "new-session", "-d", "-s", "s", "-x", "80", "-y", "24", "--", "sleep", "99"
        )
    )
    return tmux


def test_no_server_is_no_pane(world: Path) -> None:
    """Where no server runs there are no panes, and none is started by asking."""
    tmux = Tmux(Socket("own"))
    assert tmux.panes() == []
    assert survey(tmux, lambda _: True) == ([], {})
    with pytest.raises(NoServer, match="no tmux server"):
        tmux.call("list-sessions")
    assert leaks.servers(world) == []


@pytest.mark.parametrize("value", ["", "gone", "there", "link", "loop", None])
def test_the_socket_is_where_tmux_has_it(
    tidy: Path, value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A TMUX_TMPDIR that leads nowhere is passed over for /tmp, as tmux does."""
    (tidy / "there").mkdir()
    (tidy / "link").symlink_to("there")
    (tidy / "loop").symlink_to("loop")
    name = f"mdtmux-test-{os.getpid()}"
    if value is None:
        monkeypatch.delenv("TMUX_TMPDIR")
    else:
        monkeypatch.setenv("TMUX_TMPDIR", value and str(tidy / value))
    ask = ["-L", name, "-f", "/dev/null", "new-session", "-d", "sleep 99", ";"]
    ask += ["display-message", "-p", "#{socket_path} #{pid}"]
    done = subprocess.run(["tmux", *ask], capture_output=True, text=True, check=True)
    path, pid = done.stdout.split()
    server = psutil.Process(int(pid))
    server.terminate()
    dead = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    until(lambda: not server.is_running() or server.status() in dead)
    Path(path).unlink(missing_ok=True)

    assert Socket("own").path() == Path(path).with_name("mdtmux")
    assert Socket("default").path() == Path(path).with_name("default")


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(word=_WORDS)
@example(word="x;")
@example(word=";")
@example(word="~")
@example(word="a\\;")
@example(word="-t")
@example(word='it\'s $HOME #{pane_id} "q"')
@example(word="%if")
@example(word="{ }")
def test_any_word_arrives_by_every_way(server: Tmux, word: str) -> None:
    """An option's value is what was given, by argument, by script and by control mode."""
    for way in (server.call, lambda *words: server.batch(line(*words) + "\n")):
        way("set-option", "-g", "@word", f"x{word}x")
        assert _raw(server) == f"x{word}x"
    with ControlTmux(Socket("own"), "s") as control:
        control.call("set-option", "-g", "@word", f"y{word}")
    assert _raw(server) == f"y{word}"


def _raw(server: Tmux) -> str:
    argv = ["tmux", "-u", "-L", "mdtmux", "show-options", "-gv", "@word"]
    done = subprocess.run(argv, capture_output=True, check=True)
    return done.stdout.decode().removesuffix("\n")


@given(word=st.text())
def test_quoting_never_makes_two_lines(word: str) -> None:
    """Tmux reads commands by line: a quoted word stands on one."""
    assert "\n" not in quote(word)


def test_a_pane_row_reads_back(server: Tmux) -> None:
    """The row has the pane's truth, also with our marks and an odd title."""
    pane = server.panes()[0].pane
    title = "a|~|b  é ✓"
    server.call("select-pane", "-t", pane, "-T", title)
    server.call("set-option", "-p", "-t", pane, "@mdtmux_agent", "jim")
    row = server.panes()[0]

    assert (row.title, row.agent, row.session, row.dead) == (title, "jim", "s", False)
    assert (row.width, row.height) == (80, 24)
    assert row.command == "sleep"


def test_how_a_process_ended_is_known(server: Tmux) -> None:
    """Tmux 3.3a misses one child's end in four: every listing tells of all ends."""
    server.call("set-option", "-g", "remain-on-exit", "on")
    sleeper = ("new-window", "-d", "-P", "-F", "#{pane_pid}", "--", "sleep", "99")
    for number in range(24):
        os.kill(int(server.call(*sleeper)), signal.SIGTERM)
        ends = until(partial(_ends, server, more_than=number))

        assert ends == ["ended by signal 15"] * (number + 1)


def _ends(server: Tmux, *, more_than: int) -> list[str]:
    ends = [one.ended() for one in server.panes() if one.dead]
    return ends if len(ends) > more_than else []


def test_a_row_that_is_none_is_an_error() -> None:
    """An answer that cannot be read is told, not taken for `no panes`."""
    with pytest.raises(TmuxError, match="cannot be read"):
        parse_pane("$0_x_y")


@pytest.mark.parametrize("locale", ["C", "POSIX", ""])
def test_answers_are_utf8_in_any_locale(server: Tmux, locale: str) -> None:
    """Tmux would write `_` for tabs and accents under a locale without UTF-8."""
    pane = server.panes()[0].pane
    old = os.environ["LC_ALL"]
    os.environ["LC_ALL"] = locale
    try:
        server.call("select-pane", "-t", pane, "-T", "é ✓")
        assert server.panes()[0].title == "é ✓"
    finally:
        os.environ["LC_ALL"] = old


def test_dead_panes_tell_status_or_signal(server: Tmux) -> None:
    """Tmux leaves the status blank for a death by signal; zero is not invented."""
    rows = [line("set-option", "-g", "remain-on-exit", "on")]
    rows += [line("new-window", "-t", "s:", "-n", name, "--", "sh", "-c", script)
             for name, script in (("status", "exit 7"), ("signal", "kill -9 $$"))]  # fmt: skip
    server.batch("\n".join(rows) + "\n")
    until(lambda: sum(pane.dead for pane in server.panes()) == 2, what="two dead panes")
    told = {(pane.status, pane.signal) for pane in server.panes() if pane.dead}

    assert told == {(7, None), (None, 9)}


def test_a_look_at_a_missing_pane_is_an_error(server: Tmux) -> None:
    """Tmux answers with another pane's data for some missing targets; we do not."""
    with pytest.raises(TmuxError):
        server.look(PaneId("%99"))


def test_a_screen_is_what_stands_there(server: Tmux) -> None:
    """Plain rows and styled rows are the same rows; the cursor is where it is."""
    script = "printf 'one\\n\\033[1;31mtwo\\033[0m é\\n'; exec sleep 99"
    server.batch(line("new-window", "-t", "s:", "--", "sh", "-c", script))
    pane = next(
        pane.pane for pane in server.panes() if pane.active and pane.window_active
    )
    screen = until(lambda: _with(server, pane, "two"), what="the text")
    assert screen is not None

    assert screen.lines[:3] == ("one", "two é", "")
    assert "\x1b[" in screen.styled[1]
    assert (screen.cursor_x, screen.cursor_y) == (0, 2)
    assert server.look(pane)[1] == screen
    assert survey(server, lambda p: p.pane == pane)[1] == {pane: screen}
    with ControlTmux(Socket("own"), "s") as control:
        assert control.look(pane)[1] == screen


def _with(server: Tmux, pane: PaneId, word: str) -> Screen | None:
    screen = server.screen(pane)
    return screen if word in screen.text() else None


def test_text_that_looks_like_an_answer_is_text(server: Tmux) -> None:
    """A pane that shows control-mode guards confuses nobody."""
    script = "printf '%%end 1 2 3\\n%%error 1 2 3\\n%%begin 1 2 3\\n'; exec sleep 99"
    server.batch(line("new-window", "-t", "s:", "--", "sh", "-c", script))
    pane = next(
        pane.pane for pane in server.panes() if pane.active and pane.window_active
    )
    until(lambda: _with(server, pane, "%begin"), what="the text")
    with ControlTmux(Socket("own"), "s") as control:
        assert control.screen(pane).lines[:3] == (
            "%end 1 2 3",
            "%error 1 2 3",
            "%begin 1 2 3",
        )


def test_control_tells_errors_and_the_end(server: Tmux) -> None:
    """A refused command and a session that ends are errors, and the next call works."""
    with ControlTmux(Socket("own"), "s") as control:
        with pytest.raises(TmuxError, match="can't find pane"):
            control.call("capture-pane", "-p", "-t", "%99")
        assert control.call("display-message", "-p", "fine") == "fine\n"
        server.call("kill-session", "-t", "=s")
        with pytest.raises(TimedOut):
            control.call("display-message", "-p", "x")
        with pytest.raises(TmuxError):
            control.call("display-message", "-p", "x")


def test_the_status_of_an_agent_that_ended_is_always_learnt(server: Tmux) -> None:
    """Tmux 3.3a may overlook the end of a child; it is made to look again."""
    mark = "set-option -p -t s: @mdtmux_agent a\n"
    for _ in range(8):
        server.batch(
            "new-window -t s: -- sh -c 'sleep 0.1; exit 3'\n"
            "set-option -w -t s: remain-on-exit on\n" + mark
        )
        pane = server.call("display-message", "-p", "-t", "s:", "#{pane_id}").strip()
        until(partial(_is_dead, server, pane), seconds=5, what="the status of its end")
        server.call("kill-pane", "-t", pane)


def _is_dead(server: Tmux, pane: str) -> bool:
    found = next(one for one in server.panes() if one.pane == pane)
    assert found.status in (None, 3)
    return found.dead and found.status == 3


def test_a_connection_that_was_detached_is_not_a_server_that_ended(
    server: Tmux,
) -> None:
    """Looks go on through other clients; only what may have been done is not repeated."""
    pane = server.panes()[0].pane
    with ControlTmux(Socket("own"), "s") as control:
        assert control.look(pane)[0].pane == pane
        server.call("detach-client", "-s", "=s")
        assert [one.pane for one in control.panes()] == [pane]
        assert control.look(pane)[0].pane == pane
        assert control.call("display-message", "-p", "fine") == "fine\n"


def test_a_parse_error_runs_nothing(server: Tmux) -> None:
    """A script with a wrong command is refused whole."""
    script = line("new-window", "-d", "-t", "s:") + "\nno-such-command\n"
    with pytest.raises(TmuxError, match="unknown command"):
        server.batch(script)
    assert len(server.panes()) == 1


def test_the_server_knows_nothing_of_a_run(tidy: Path) -> None:
    """A server started from an agent's pane does not carry the agent's marks."""
    os.environ["MDTMUX_RUN"] = "abc"
    try:
        tmux = Tmux(Socket("own"))
        tmux.batch(line("new-session", "-d", "-s", "s", "sleep 99"))
        known = tmux.call("show-environment", "-g")
    finally:
        del os.environ["MDTMUX_RUN"]
    assert "MDTMUX_RUN" not in known


def test_a_hanging_tmux_is_given_up(world: Path) -> None:
    """The time limit holds, and can be set; nonsense is refused by name."""
    (world / "bin").mkdir()
    stub = world / "bin" / "tmux"
    stub.write_text("#!/bin/sh\nexec sleep 99\n")
    stub.chmod(0o755)
    old = os.environ["PATH"]
    os.environ["PATH"] = f"{world / 'bin'}:{old}"
    os.environ["MDTMUX_TMUX_TIMEOUT"] = "200ms"
    try:
        with pytest.raises(TimedOut):
            Tmux(Socket("own")).call("list-sessions")
        os.environ["MDTMUX_TMUX_TIMEOUT"] = "soon"
        with pytest.raises(UsageError, match="MDTMUX_TMUX_TIMEOUT"):
            Tmux(Socket("own"))
    finally:
        os.environ["PATH"] = old
        del os.environ["MDTMUX_TMUX_TIMEOUT"]


@given(st.text())
def test_plain_text_has_no_escape(text: str) -> None:
    """Whatever a row holds, no escape sequence is left in it."""
    assert "\x1b" not in plain(text) or text.rstrip().endswith("\x1b")


def test_a_pane_is_shown(server: Tmux) -> None:
    """It becomes the selected one, its window too; a missing one is an error."""
    rows = [line("new-window", "-t", "s:", "--", "sleep", "99") for _ in range(2)]
    server.batch(
        "\n".join([*rows, line("split-window", "-t", "s:", "--", "sleep", "99")])
    )
    old, os.environ["LC_ALL"] = os.environ["LC_ALL"], "C"
    for pane in [row.pane for row in server.panes()]:
        server.show(pane)
        shown = [row.pane for row in server.panes() if row.active and row.window_active]
        assert shown == [pane]
    with pytest.raises(TmuxError, match="%99"):
        server.show(PaneId("%99"))
    assert os.environ["LC_ALL"] == "C"
    os.environ["LC_ALL"] = old


@pytest.mark.parametrize("text", ["9" * 20, "30d"])
def test_a_long_patience_is_cut(
    server: Tmux, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than poll(2) can take is no error in the middle of a command."""
    monkeypatch.setenv("MDTMUX_TMUX_TIMEOUT", text)

    assert Tmux(server.socket).call("list-sessions")
