"""The clerk behaves in a terminal as agent CLIs do."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from mdtmux.agents.base import Activity
from tests.agents.clerk.terminal import (
    CLERK_ARGV,
    Start,
    clerk,
    events,
    submitted,
    terminal,
)
from tests.support.wait import until


def test_it_asks_for_bracketed_paste_and_gives_the_terminal_back() -> None:
    """The paste mode is on while it runs and off after it has ended."""
    with clerk() as seen:
        assert b"\x1b[?2004h" in seen.raw
        assert b"\x1b[?2004l" not in seen.raw
        seen.send("\x04")
        assert seen.ended() == 0
        assert seen.raw.count(b"\x1b[?2004l") == 1


def test_without_brackets_it_does_not_ask() -> None:
    """`--no-bracketed` makes it a program that takes no pastes."""
    with clerk("--no-bracketed") as seen:
        assert b"\x1b[?2004" not in seen.raw


def test_it_shows_who_it_is_and_waits() -> None:
    """The first screen has name, model and an empty input line."""
    with clerk("--name", "jim", "--model", "fast-2") as seen:
        assert "jim · fast-2" in seen.text()
        reading = seen.until(Activity.IDLE)
        assert (reading.draft, reading.accepts, reading.dialog) == ("", True, None)


def test_typed_text_is_echoed_and_submitted_by_enter() -> None:
    """What is typed stands in the draft, and Enter takes it from there."""
    with clerk() as seen:
        seen.send("hello wörld 你好 ✓")
        seen.draft("hello wörld 你好 ✓")
        seen.send("\r")
        seen.see("OK (1 line, 23 bytes, sha ")
        seen.draft("")
        assert submitted() == ["hello wörld 你好 ✓"]


def test_an_enter_amid_other_bytes_is_a_newline() -> None:
    """Text and Enter in one write are not submitted; a lone Enter does it then."""
    with clerk() as seen:
        seen.send("hello\r")
        seen.draft("hello\n")
        assert submitted() == []
        seen.send("\r")
        until(lambda: submitted() == ["hello\n"], what="the submit")


def test_strict_enter_can_be_switched_off() -> None:
    """`--strict-enter off` makes every Enter a submit."""
    with clerk("--strict-enter", "off") as seen:
        seen.send("one\rtwo\r")
        until(lambda: submitted() == ["one", "two"], what="two submits")


def test_a_long_paste_is_shown_by_its_placeholder_and_arrives_whole() -> None:
    """Many lines stand in the draft as one placeholder."""
    text = "\n".join(f"line {n}" for n in range(155))
    with clerk() as seen:
        seen.paste(text)
        seen.draft("[Pasted text #1 +154 lines]")
        seen.send("\r")
        seen.see("OK (155 lines")
        assert submitted() == [text]


def test_a_megabyte_is_pasted_in_seconds() -> None:
    """A paste of 1 MB arrives byte for byte."""
    text = "0123456789abcde\n" * 65536
    with clerk() as seen:
        seen.submit(text)
        seen.see("OK (65537 lines, 1048576 bytes")
        assert submitted() == [text]


def test_it_looks_busy_while_it_works_and_escape_ends_only_the_work() -> None:
    """Escape interrupts what it does, and the program goes on."""
    with clerk() as seen:
        seen.submit("sleep 60")
        busy = seen.until(Activity.BUSY)
        assert "esc to interrupt" in busy.evidence
        assert busy.accepts
        seen.send("\x1b")
        seen.until(Activity.IDLE)
        assert "Interrupted" in seen.text()
        assert len(events("interrupt")) == 1
        seen.submit("say still here")
        seen.see("● still here")


def test_the_busy_sign_counts_the_seconds() -> None:
    """The sign is drawn anew by time, without any key."""
    with clerk() as seen:
        seen.submit("sleep 60")
        seen.see("(0s · esc to interrupt)")
        seen.see("(1s · esc to interrupt)")


def test_prompts_typed_while_it_is_busy_wait_their_turn() -> None:
    """The queue keeps the order and its length is shown."""
    with clerk() as seen:
        seen.submit("sleep 1")
        seen.until(Activity.BUSY)
        seen.submit("say second")
        seen.submit("say third")
        seen.see("2 queued")
        seen.see("● third")
        assert seen.text().index("● second") < seen.text().index("● third")


def test_an_interrupt_brings_queued_prompts_back_to_the_draft() -> None:
    """Escape runs none of what waited, and loses none of it."""
    with clerk() as seen:
        seen.submit("sleep 60")
        seen.until(Activity.BUSY)
        seen.submit("say second")
        seen.see("1 queued")
        seen.send("\x1b")
        seen.draft("say second")
        assert seen.reading().activity == Activity.IDLE


def test_control_u_clears_the_whole_draft() -> None:
    """One Control-U empties the draft, however many lines it has."""
    with clerk() as seen:
        seen.paste("one\ntwo\nthree")
        seen.draft("one\ntwo\nthree")
        seen.send("\x15")
        seen.draft("")


def test_control_c_clears_then_says_how_to_quit() -> None:
    """The first Control-C quits nothing."""
    with clerk() as seen:
        seen.send("draft")
        seen.draft("draft")
        seen.send("\x03")
        seen.see("ctrl+c again to quit")
        seen.draft("")
        until(lambda: "again to quit" not in seen.text(), what="the notice to go")
        seen.send("\x03")
        seen.see("ctrl+c again to quit")


@pytest.mark.parametrize("keys", [["\x03\x03"], ["\x03", "\x03"]])
@pytest.mark.parametrize("prompt", ["", "sleep 60", "ask what?"])
def test_two_control_c_quit(keys: list[str], prompt: str) -> None:
    """Twice within a second ends the program, also at work or in a dialog."""
    with clerk() as seen:
        if prompt:
            seen.submit(prompt)
            seen.until(Activity.WAITING if "ask" in prompt else Activity.BUSY)
        for key in keys:
            seen.send(key)
        assert seen.ended() == 0
        assert [event["status"] for event in events("exit")] == [0]


@pytest.mark.parametrize("line", ["/exit", "/quit"])
def test_exit_commands_quit(line: str) -> None:
    """`/exit` ends the program with status 0."""
    with clerk() as seen:
        seen.send(line)
        seen.draft(line)
        seen.send("\r")
        assert seen.ended() == 0


def test_control_d_quits_on_an_empty_draft_only() -> None:
    """Control-D in the middle of a draft deletes a character."""
    with clerk() as seen:
        seen.send("ab")
        seen.draft("ab")
        seen.send("\x1b[D")
        seen.send("\x04")
        seen.draft("a")


def test_term_ends_it_with_its_own_status() -> None:
    """TERM gives the terminal back and exits 143."""
    with clerk() as seen:
        os.kill(seen.pid, signal.SIGTERM)
        assert seen.ended() == 143
        assert b"\x1b[?2004l" in seen.raw


def test_a_stubborn_clerk_ignores_polite_signals_and_keys() -> None:
    """`--stubborn` leaves only KILL."""
    with clerk("--stubborn") as seen:
        os.kill(seen.pid, signal.SIGTERM)
        os.kill(seen.pid, signal.SIGHUP)
        seen.send("\x03\x03")
        seen.submit("say alive")
        seen.see("● alive")


def test_what_is_typed_before_it_has_booted_is_lost() -> None:
    """`--boot` flushes early input, as slow CLIs do."""
    argv = (*CLERK_ARGV, "--log", "clerk.jsonl", "--boot", "1")
    with terminal(Start(argv)) as seen:
        until(lambda: events("start"), what="the start")
        seen.send("early")
        assert seen.reading().activity == Activity.UNKNOWN
        seen.until(Activity.IDLE)
        assert seen.reading().draft == ""


def test_without_a_terminal_it_says_so() -> None:
    """In a pipe it is refused with a usage error."""
    argv = ("/bin/sh", "-c", f"{CLERK_ARGV[0]} -P -m mdtmux.agents.clerk </dev/null")
    with terminal(Start(argv)) as seen:
        assert seen.ended() == 2
        assert "needs a terminal" in seen.text()


def test_slash_words_are_commands_and_paths_are_text() -> None:
    """An unknown command is not submitted; a path at the start is."""
    with clerk() as seen:
        seen.submit("/frobnicate now")
        seen.see("there is no /frobnicate")
        seen.submit("/etc/hosts is a file")
        until(lambda: submitted() == ["/etc/hosts is a file"], what="the submit")


def test_help_and_clear() -> None:
    """`/help` lists the language; `/clear` empties the screen."""
    with clerk() as seen:
        seen.submit("/help")
        seen.see("dispatch AGENT: TEXT")
        seen.submit("/clear")
        until(lambda: "dispatch" not in seen.text(), what="an empty screen")
        assert seen.reading().activity == Activity.IDLE


def test_an_exclamation_mark_opens_a_shell() -> None:
    """`!` runs a command without asking, as real CLIs do."""
    with clerk() as seen:
        seen.submit("!echo shell-$((6*7))")
        seen.see("shell-42")
        assert submitted() == []
        assert [event["text"] for event in events("shell")] == ["echo shell-$((6*7))"]


def test_one_space_at_the_start_makes_text_of_anything() -> None:
    """A leading space is taken off, and nothing else is done to the text."""
    with clerk() as seen:
        for text in (" !touch pwned", " /exit", "  two spaces", " say not a command"):
            seen.submit(text)
        wanted = ["!touch pwned", "/exit", " two spaces", "say not a command"]
        until(lambda: submitted() == wanted, what="four submits")


def test_the_arrow_up_brings_back_what_was_submitted() -> None:
    """Up and Down walk through earlier prompts."""
    with clerk() as seen:
        seen.submit("say one")
        seen.submit("say two")
        seen.draft("")
        seen.send("\x1b[A")
        seen.draft("say two")
        seen.send("\x1b[A")
        seen.draft("say one")
        seen.send("\x1b[B")
        seen.send("\x1b[B")
        seen.draft("")


def test_a_prompt_on_the_command_line_is_the_first_one() -> None:
    """A launch argument is submitted at start, as with real CLIs."""
    with clerk("--name", "jim", "--", "-x is no option") as seen:
        seen.see("> -x is no option")
        assert submitted() == ["-x is no option"]


def test_each_clerk_logs_into_its_own_file_of_a_folder() -> None:
    """$CLERK_LOG may be a folder, or hold `{name}`."""
    Path("logs").mkdir()
    for given in ("logs", "logs/{name}.jsonl"):
        argv = (*CLERK_ARGV, "--name", "pam")
        with terminal(Start(argv, env={"CLERK_LOG": given})) as seen:
            seen.until(Activity.IDLE)
    assert len(events("start", "logs/pam.jsonl")) == 2
