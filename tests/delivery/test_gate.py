"""The gate types, submits and proves: real programs in real panes."""

from __future__ import annotations

import dataclasses
import os
import pickle
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from mdtmux.delivery import queue, receipt, spool
from mdtmux.delivery.gate import deliver
from mdtmux.delivery.keys import press
from mdtmux.delivery.receipt import Outcome, Passes, Receipt
from mdtmux.delivery.target import Options, Target
from mdtmux.delivery.text import prepare
from mdtmux.office.model import Paste
from mdtmux.system import files, locks
from mdtmux.system.control import ControlTmux
from tests.support.panes import TUI, Desk, Echoing
from tests.support.wait import until


def sent(
    desk: Desk,
    target: Target,
    text: str | bytes,
    *,
    wait: bool = False,
    force: bool = False,
    timeout: float = 20.0,
) -> Receipt:
    """Deliver and return the receipt."""
    return deliver(desk.tmux, target, text, Options(wait, force, timeout=timeout))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1;", ";", "x;;", r"find . -exec ls {} \;",
        "- do this", "--help", "-l", "- one\n- two",
        "Enter", "Up", "Escape", "Space", "C-c", "F1", "0x41", "y",
        "l1\nl2\n\nl4", "\ttab", "é ✓ 日本語 👩‍👩‍👧", "#{pane_id} $HOME `id` \"'~",
        "[200~ not a mark", "ends with a break\n",
    ],
)  # fmt: skip
def test_text_arrives_as_it_was_sent(desk: Desk, text: str) -> None:
    """Semicolons, dashes, key names, lines and any letters arrive unchanged, once."""
    target = desk.sit("a")

    got = sent(desk, target, text)

    assert (got.outcome, got.enters) == (Outcome.SUBMITTED, 1), got
    assert desk.submitted("a") == [text]
    assert desk.buffers() == ""


@pytest.mark.parametrize("size", [4000, 5000, 16_300, 16_400, 140_000, 1_000_000])
def test_a_long_text_arrives_whole(desk: Desk, size: int) -> None:
    """No limit of tmux's messages, of arguments or of the terminal cuts a text."""
    target = desk.sit("a")
    row = "".join(chr(33 + i % 90) for i in range(79)) + "\n"
    text = (row * (size // 80 + 1))[:size]

    got = sent(desk, target, text)

    assert got.outcome is Outcome.SUBMITTED, got
    assert got.bytes == size
    assert desk.submitted("a") == [text]


def test_several_lines_to_a_program_without_paste_marks_are_refused(desk: Desk) -> None:
    """Without bracketed paste several lines are refused as a whole, never split."""
    target = desk.sit("a", "nobracket")

    got = sent(desk, target, "l1\nl2\n\nl4")

    assert got.outcome is Outcome.REFUSED
    assert "bracketed paste" in got.reason
    assert sent(desk, target, "one line\n").outcome is Outcome.SUBMITTED
    assert desk.submitted("a") == ["one line"]


def test_several_lines_can_go_through_a_file(desk: Desk) -> None:
    """`paste: file` types one line that names a private file with the text."""
    target = dataclasses.replace(desk.sit("a", "nobracket"), paste=Paste.FILE)

    got = sent(desk, target, "l1\nl2\n")

    assert got.outcome is Outcome.SUBMITTED, got
    (line,) = desk.submitted("a")
    path = Path(next(word for word in line.split() if word.startswith("/")))
    assert path.read_text() == "l1\nl2\n"
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("options", [["swallow"], ["swallow", "echo"]])
def test_an_enter_that_a_burst_would_swallow_is_pressed_apart(
    desk: Desk, options: list[str]
) -> None:
    """A program that takes Enter in one read with text for a newline gets it apart."""
    target = desk.sit("a", *options)

    assert sent(desk, target, "hello").outcome is Outcome.SUBMITTED
    assert desk.submitted("a") == ["hello"]


def test_text_is_held_until_the_program_listens(desk: Desk) -> None:
    """A program that throws early input away gets its prompt when it asks for input."""
    target = desk.sit("a", "boot=1.5", started=False)

    refused = sent(desk, target, "too early")
    got = sent(desk, target, "go", wait=True)

    assert (refused.outcome, refused.later) == (Outcome.REFUSED, True), refused
    assert got.outcome is Outcome.SUBMITTED, got
    assert desk.submitted("a") == ["go"]


@pytest.mark.parametrize("dialog", ["trust", "menu"])
@pytest.mark.parametrize("force", [False, True])
def test_an_open_question_is_never_answered_by_a_text(
    desk: Desk, dialog: str, force: bool
) -> None:
    """A dialog or menu holds the text back, forced or not, and gets no Enter."""
    target = desk.sit("a", f"dialog={dialog}")

    got = sent(desk, target, "hold on", force=force)

    assert (got.outcome, got.later) == (Outcome.REFUSED, True)
    assert "waits for an answer" in got.reason
    assert "attach" in (got.hint or "")
    assert desk.events("a", "dialog-answered") == []


def test_after_a_human_has_answered_the_text_goes_through(desk: Desk) -> None:
    """A dialog that was answered does not hold texts back for ever."""
    target = desk.sit("a", "dialog=trust")
    desk.tmux.keys(target.pane, "Enter")
    until(lambda: desk.events("a", "dialog-answered"), what="the answer")

    assert sent(desk, target, "do it").outcome is Outcome.SUBMITTED
    assert desk.submitted("a") == ["do it"]


@pytest.mark.parametrize(
    "argv",
    [
        ("sh",),
        ("bash", "--norc"),
        (sys.executable, "-i", "-q"),
        ("sh", "-c", "sleep 0.2; exec sh"),
        ("bash", "--norc", "-o", "vi"),
        ("bash", "-c", "exec -a myagent bash --norc"),
        (sys.executable, "-X", "utf8"),
        (sys.executable, "-m", "code"),
        ("script", "-qc", "exec bash --norc", "/dev/null"),
        ("bash", "--norc", "+m", "-i"),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_a_shell_is_never_typed_into(
    desk: Desk, argv: tuple[str, ...], force: bool
) -> None:
    """A pane that has dropped to a shell or an interpreter gets nothing, forced or not."""
    target = desk.sit("a", argv=argv)
    until(lambda: desk.tmux.screen(target.pane).text().strip(), what="its prompt")

    got = sent(desk, target, "open('PWNED', 'w'); touch PWNED", force=force)

    assert got.outcome is Outcome.REFUSED
    assert "interpreter" in got.reason
    assert "PWNED" not in desk.tmux.screen(target.pane).text()


def test_a_link_to_a_shell_is_a_shell(desk: Desk) -> None:
    """The name under which a shell was started does not make it an agent."""
    link = desk.base / "myagent"
    link.symlink_to(shutil.which("bash") or "")
    target = desk.sit("a", argv=(str(link),))
    until(lambda: desk.tmux.screen(target.pane).text().strip(), what="its prompt")

    got = sent(desk, target, "touch PWNED", force=True)

    assert (got.outcome, got.passes) == (Outcome.REFUSED, Passes.RUN)


@pytest.mark.parametrize("argv", [("less", "/etc/passwd"), ("vi", "-nu", "NONE")])
@pytest.mark.parametrize("force", [False, True])
def test_a_pager_or_editor_is_not_typed_into(
    desk: Desk, argv: tuple[str, ...], force: bool
) -> None:
    """Letters drive a pager and an editor, forced or not, and some run commands."""
    target = desk.sit("a", argv=("sh", "-c", f"{shlex.join(argv)}; exit"))
    until(lambda: desk.tmux.look(target.pane)[0].alternate, what="its screen")

    got = sent(desk, target, "!touch PWNED", force=force)

    assert got.outcome is Outcome.REFUSED
    assert "pager or editor" in got.reason
    assert press(desk.tmux, target, ["q"], 5.0).outcome is Outcome.SUBMITTED


def test_an_editor_that_the_office_file_starts_and_calls_ready(desk: Desk) -> None:
    """An editor that is the agent's own command takes text where its pattern shows."""
    target = desk.sit("a", argv=("vi", "-nu", "NONE", "/etc/passwd"))
    until(lambda: "root:" in desk.tmux.screen(target.pane).text(), what="its screen")
    ready = dataclasses.replace(target, ready="^root:")
    other = dataclasses.replace(target, ready="^nobody there:")

    assert sent(desk, other, "/x").outcome is Outcome.REFUSED
    assert sent(desk, ready, "/x").outcome is not Outcome.REFUSED


def test_what_goes_on_to_another_terminal_needs_force(desk: Desk) -> None:
    """Nothing tells who reads behind a relay: it takes a pattern or force."""
    command = shlex.join((sys.executable, str(TUI), "a"))
    target = desk.sit("a", argv=("script", "-qc", command, "/dev/null"))
    until(lambda: ">" in desk.tmux.screen(target.pane).text(), what="its prompt")

    held = sent(desk, target, "hello")
    got = sent(desk, target, "hello", force=True)

    assert (held.outcome, held.later) == (Outcome.REFUSED, True)
    assert "passes on" in held.reason
    assert got.outcome is Outcome.SUBMITTED, got
    assert desk.submitted("a") == ["hello"]


def test_a_shell_on_a_terminal_that_a_program_has_made_needs_force(desk: Desk) -> None:
    """What a program shows may be a shell's own screen, whatever its prompt looks like."""
    script = desk.base / "agent.py"
    script.write_text(
        "import os, pty\nos.environ['PS1'] = 'agent> '\npty.spawn(['bash', '--norc'])\n"
    )
    target = desk.sit("a", argv=(sys.executable, str(script)))
    until(lambda: "agent>" in desk.tmux.screen(target.pane).text(), what="its prompt")

    held = sent(desk, target, "touch PWNED")
    told = sent(desk, dataclasses.replace(target, ready="^agent>"), "echo $((6*7))")

    assert (held.outcome, held.later) == (Outcome.REFUSED, True)
    assert "a terminal that `a` has made" in held.reason
    assert told.outcome is Outcome.SUBMITTED, told


def test_a_command_in_a_shell_that_is_about_to_return_gets_nothing(desk: Desk) -> None:
    """While a shell waits for a command, nothing tells that anybody reads the text."""
    target = desk.sit("a", argv=("sh", "-c", "sleep 60; exec sh"))

    got = sent(desk, target, "ok; touch PWNED")

    assert got.outcome is Outcome.REFUSED
    assert "nothing tells" in got.reason


@pytest.mark.parametrize("mode", ["copy-mode", "view"])
def test_a_scrolled_pane_is_brought_back_first(desk: Desk, mode: str) -> None:
    """Copy and view mode are left, since they would swallow the Enter."""
    target = desk.sit("a")
    if mode == "view":
        desk.tmux.call("run-shell", "-t", target.pane, "seq 5")
    else:
        desk.tmux.call("copy-mode", "-t", target.pane)
    assert desk.tmux.look(target.pane)[0].in_mode

    assert sent(desk, target, "hello").outcome is Outcome.SUBMITTED
    assert desk.submitted("a") == ["hello"]


def test_a_dead_pane_is_refused_and_the_server_lives(desk: Desk) -> None:
    """An agent that has ended gets nothing, and the receipt says that it has."""
    target = desk.sit("a", "after=0.2", "exit=3")
    until(lambda: desk.tmux.look(target.pane)[0].dead, what="its end")

    got = sent(desk, target, "x")

    assert got.outcome is Outcome.REFUSED
    # tmux 3.3a now and then overlooks the status of one that ends at once.
    assert "has ended" in got.reason
    assert desk.tmux.panes()


def test_another_run_in_the_same_pane_is_not_the_target(desk: Desk) -> None:
    """A pane id that now belongs to another life, office or server gets nothing."""
    target = desk.sit("a")

    for change in ({"run": "0" * 12}, {"office": "other"}, {"server_pid": 1}):
        got = sent(desk, dataclasses.replace(target, **change), "secret")
        assert got.outcome is Outcome.REFUSED, change

    assert desk.submitted("a") == []
    assert "secret" not in desk.tmux.screen(target.pane).text()


def test_a_pane_that_is_gone_is_refused(desk: Desk) -> None:
    """A killed pane is named as what it is, and no other pane gets the text."""
    desk.sit("b")
    target = desk.sit("a")
    desk.tmux.call("kill-pane", "-t", target.pane)

    assert sent(desk, target, "x").outcome is Outcome.REFUSED
    assert desk.submitted("b") == []


def test_a_stray_draft_is_held_back(desk: Desk) -> None:
    """What a human has typed and not sent is neither joined nor submitted."""
    target = desk.sit("a", "echo", kind=Echoing())
    desk.tmux.call("send-keys", "-t", target.pane, "-l", "half a thought")
    until(lambda: "thought" in desk.tmux.screen(target.pane).text(), what="the draft")

    got = sent(desk, target, "hello", force=True)

    assert (got.outcome, got.later) == (Outcome.REFUSED, True)
    assert "draft" in got.reason
    assert desk.submitted("a") == []


def test_a_busy_agent_is_refused_with_the_way_to_wait(desk: Desk) -> None:
    """A text for a busy agent is refused, and the hint names what waits."""
    target = desk.sit("a", "busy", kind=Echoing())
    until(lambda: ".." in desk.tmux.screen(target.pane).text(), what="its work")

    got = sent(desk, target, "hello")

    assert (got.outcome, got.later) == (Outcome.REFUSED, True)
    assert "busy" in got.reason
    assert "--queue" in (got.hint or "")
    assert desk.submitted("a") == []


def test_a_screen_that_moves_by_itself_proves_nothing(desk: Desk) -> None:
    """No receipt says submitted when nothing that was seen shows it."""
    target = desk.sit("a", "busy")

    got = sent(desk, target, "hello")

    assert (got.outcome, got.enters) == (Outcome.UNPROVEN, 1)
    assert "moves by itself" in got.reason


def odd(desk: Desk, mode: str) -> Target:
    """Start a program that treats what is typed oddly."""
    script = TUI.with_name("odd_tui.py")
    target = desk.sit("a", argv=(sys.executable, str(script), "a", mode))
    until(lambda: ">" in desk.tmux.screen(target.pane).text(), what="its prompt")
    return target


def test_a_late_echo_is_no_proof(desk: Desk) -> None:
    """A paste that comes up after the Enter that it made lost is not called submitted."""
    target = odd(desk, "late")

    got = sent(desk, target, "hello over there")

    assert desk.submitted("a") == (
        ["hello over there"] if got.outcome is Outcome.SUBMITTED else []
    )
    assert got.enters > 1 or got.outcome is Outcome.UNPROVEN


@pytest.mark.parametrize("mode", ["dropping", "dialog", "deaf"])
def test_a_screen_that_answers_any_key_is_no_proof(desk: Desk, mode: str) -> None:
    """A program that loses the Enter and draws something is never called submitted."""
    target = odd(desk, mode)

    got = sent(desk, target, "hello over there")

    assert got.outcome is Outcome.UNPROVEN, got
    assert desk.submitted("a") == []
    # Only a text that stands there may be told to need one more Enter.
    assert ("--key Enter" in (got.hint or "")) == (mode == "deaf")
    assert got.reason.startswith("typed but not submitted") == (mode == "deaf")


@pytest.mark.parametrize(("mode", "hint"), [("asks", "attach"), ("ends", "logs")])
def test_what_comes_after_enter_is_not_told_to_be_no_submission(
    desk: Desk, mode: str, hint: str
) -> None:
    """A question or the end after Enter: the text may be taken, and no Enter is advised."""
    target = odd(desk, mode)

    got = sent(desk, target, "hello over there")

    assert desk.submitted("a") == ["hello over there"]
    assert (got.outcome, got.enters) == (Outcome.UNPROVEN, 1)
    assert "nothing shows that it was taken" in got.reason
    assert f"mdtmux {hint} a" in (got.hint or "")
    assert "Enter" not in (got.hint or "")


def test_a_spinner_elsewhere_does_not_hide_the_proof(desk: Desk) -> None:
    """A text that stood at the cursor and is gone has left, though the screen moves."""
    target = odd(desk, "spinner")

    got = sent(desk, target, "hello over there")

    assert (got.outcome, got.enters) == (Outcome.SUBMITTED, 1), got
    assert desk.submitted("a") == ["hello over there"]


def test_a_text_that_may_stand_unsent_holds_the_next_one_back(desk: Desk) -> None:
    """After an unproven delivery nothing is appended to what may stand there."""
    target = desk.sit("a", "busy")
    first = sent(desk, target, "hello")

    second = sent(desk, target, "more")
    forced = sent(desk, target, "more", force=True)

    assert first.id in second.reason
    assert second.outcome is Outcome.REFUSED
    assert forced.outcome is Outcome.UNPROVEN
    assert desk.submitted("a") == ["hello", "more"]


def test_a_text_left_on_the_input_line_is_submitted_not_typed_again(desk: Desk) -> None:
    """Sending again after a sender was killed before Enter submits what stands there."""
    target = desk.sit("a", "echo", kind=Echoing())
    desk.tmux.call("send-keys", "-t", target.pane, "-l", "hello")
    until(lambda: "hello" in desk.tmux.screen(target.pane).text(), what="the text")
    content = receipt.content_of("hello")
    note = spool.Note("0" * 12, target.run, content.sha256, content.bytes, False, 0.0)
    spool.write_note(desk.state, "a", note)

    assert sent(desk, target, "hello").outcome is Outcome.SUBMITTED
    assert desk.submitted("a") == ["hello"]


def test_a_line_mode_program_is_not_given_a_line_it_would_cut(desk: Desk) -> None:
    """A terminal in line mode keeps 4095 bytes of a line; longer ones are refused."""
    target = dataclasses.replace(desk.sit("a", argv=("cat",)), ready=".*")

    fits = sent(desk, target, "x" * 4095)
    cut = sent(desk, target, "x" * 4096)

    assert fits.outcome is Outcome.SUBMITTED, fits
    assert cut.outcome is Outcome.REFUSED
    assert "4096 bytes" in cut.reason


def test_a_program_that_does_not_read_proves_nothing(desk: Desk) -> None:
    """Text in the terminal of a program that never reads it is not submitted."""
    target = desk.sit("a", argv=("sleep", "600"))

    got = sent(desk, target, "hello", force=True)

    assert got.outcome is Outcome.UNPROVEN
    assert "not read it" in got.reason


def test_many_senders_do_not_mix(desk: Desk) -> None:
    """Forty senders to two agents: every text whole, once, on the right one."""
    targets = {name: desk.sit(name) for name in ("a", "b")}
    jobs = [
        (name, f"{name}{number}\nsecond row") for number in range(8) for name in targets
    ]

    with ThreadPoolExecutor(16) as pool:
        got = list(
            pool.map(
                lambda job: sent(desk, targets[job[0]], job[1], timeout=50.0), jobs
            )
        )

    assert {one.outcome for one in got} == {Outcome.SUBMITTED}, got
    for name in targets:
        assert sorted(desk.submitted(name)) == sorted(
            text for to, text in jobs if to == name
        )
    assert desk.buffers() == ""


def test_a_busy_pane_lock_is_told_and_passes(desk: Desk) -> None:
    """Whoever cannot get the input in time is refused, for now."""
    target = desk.sit("a")

    with locks.hold(target.lock, wait=0, what="the test"):
        got = sent(desk, target, "x", timeout=0.1)

    assert (got.outcome, got.later) == (Outcome.REFUSED, True)


def test_nobody_overtakes_the_queue(desk: Desk) -> None:
    """A text for an agent with a queue is refused unless it goes behind it."""
    target = desk.sit("a")
    queue.put(desk.state, "a", "first")

    got = sent(desk, target, "second")

    assert (got.outcome, got.later) == (Outcome.REFUSED, True)
    assert "1 earlier text waits" in got.reason


def test_receipts_do_not_hold_the_text(desk: Desk) -> None:
    """The receipts tell size and digest of a text, never the text."""
    target = desk.sit("a")

    got = sent(desk, target, "my \x07secret")

    (kept,) = receipt.read(desk.state)
    assert kept == got
    assert (got.bytes, got.dropped) == (9, 1)
    file = desk.state / "receipts.jsonl"
    assert "secret" not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert not list((desk.state / "spool").iterdir())


@pytest.mark.parametrize("options", [[], ["echo"]])
def test_any_text_arrives_byte_for_byte(desk: Desk, options: list[str]) -> None:
    """Whatever can be typed at all arrives as it was prepared, and only once."""
    target = desk.sit("a", *options)

    @settings(max_examples=6, phases=[Phase.generate])
    @given(st.text(min_size=1, max_size=400))
    def check(text: str) -> None:
        assume(any(c.isprintable() and not c.isspace() for c in text))
        before = desk.submitted("a")
        got = sent(desk, target, text)
        assert got.outcome is Outcome.SUBMITTED, got
        assert desk.submitted("a") == [*before, prepare(text).text]

    check()


@pytest.mark.parametrize("text", ["Go on? (y/n)", "1. Yes\n2. No", "> 1. Yes\n  2. No"])
def test_a_text_that_looks_like_a_menu_is_not_taken_for_one(
    desk: Desk, text: str
) -> None:
    """A text about a question is submitted although its echo looks like the question."""
    target = desk.sit("a", "echo")

    assert sent(desk, target, text).outcome is Outcome.SUBMITTED
    assert sent(desk, target, "next").outcome is Outcome.SUBMITTED
    assert desk.submitted("a") == [text, "next"]


SENDER = """
import pickle, sys
from mdtmux.delivery.gate import deliver
from mdtmux.system.tmux import Socket, Tmux
deliver(Tmux(Socket("own")), pickle.loads(sys.stdin.buffer.read()), sys.argv[1])
"""


def killed_sender(desk: Desk, target: Target, text: str) -> None:
    """Start a sender whose kind waits long before Enter, and kill it there."""
    slow = dataclasses.replace(target, kind=Echoing(pause=600.0))
    sender = subprocess.Popen(
        [sys.executable, "-c", SENDER, text],
        stdin=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    with sender:
        assert sender.stdin is not None
        sender.stdin.write(pickle.dumps(slow))
        sender.stdin.close()
        until(
            lambda: text in desk.tmux.screen(target.pane).text(), what="the typed text"
        )
        sender.kill()


def test_a_killed_sender_leaves_no_lock_and_no_second_text(desk: Desk) -> None:
    """After kill -9 between text and Enter the same text is submitted once."""
    target = desk.sit("a", "echo", kind=Echoing())
    killed_sender(desk, target, "hello")

    other = sent(desk, target, "something else")
    got = sent(desk, target, "hello")

    assert other.outcome is Outcome.REFUSED
    assert got.outcome is Outcome.SUBMITTED, got
    assert desk.submitted("a") == ["hello"]
    assert desk.buffers() == ""


def test_what_dead_senders_left_is_swept(desk: Desk) -> None:
    """Text files and paste buffers of senders that died go with the next delivery."""
    target = desk.sit("a")
    dead = subprocess.Popen(["true"])
    dead.wait()
    spooled = desk.state / "spool" / f"text-{dead.pid}-abc"
    files.write_private(spooled, "secret")
    for name in (f"mdtmux-{dead.pid}-abcdef", f"mdtmux-{os.getpid()}-abcdef", "mine"):
        desk.tmux.call("set-buffer", "-b", name, "text")

    assert sent(desk, target, "x").outcome is Outcome.SUBMITTED

    assert not spooled.exists()
    left = desk.tmux.call("list-buffers", "-F", "#{buffer_name}").split()
    assert sorted(left) == sorted([f"mdtmux-{os.getpid()}-abcdef", "mine"])


def test_a_crash_after_the_paste_is_refused_for_other_texts(desk: Desk) -> None:
    """A text that may stand in a program that nothing reads holds the next one back."""
    target = desk.sit("a", "echo")
    killed_sender(desk, dataclasses.replace(target, kind=Echoing()), "hello")

    got = sent(desk, target, "hello")

    assert got.outcome is Outcome.REFUSED
    assert "may still stand there" in got.reason
    assert desk.submitted("a") == []


def test_one_connection_serves_many_deliveries_at_once(desk: Desk) -> None:
    """Threads that share a control connection deliver to their agents in parallel."""
    targets = [desk.sit(f"a{number}") for number in range(4)]
    session = desk.tmux.panes()[0].session
    text = "row one;\n- row two\n" * 500

    with (
        ControlTmux(desk.tmux.socket, session) as control,
        ThreadPoolExecutor(4) as pool,
    ):
        got = list(
            pool.map(lambda to: deliver(control, to, f"{to.agent} {text}"), targets)
        )

    assert {one.outcome for one in got} == {Outcome.SUBMITTED}, got
    for target in targets:
        assert desk.submitted(target.agent) == [f"{target.agent} {text}"]
    assert desk.buffers() == ""
