"""Text arrives byte for byte, through a bare terminal and through tmux."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.clerk.kind import CLERK
from mdtmux.names import PaneId
from mdtmux.system.tmux import Socket, Tmux
from tests.agents.clerk.terminal import clerk, events, submitted
from tests.support.wait import until

# What a terminal shows as it is: others are merged, or dropped for want of a width.
KNOWN = st.characters(
    categories=("L", "N", "P", "S", "Zs"),
    max_codepoint=0x10FF,
    include_characters="\n\t你好✓🙂",
)


@dataclass(frozen=True, slots=True)
class Pane:
    """A clerk in a pane of a private tmux server."""

    tmux: Tmux
    id: PaneId

    def read(self) -> Reading:
        """Return what the kind reads from the pane."""
        return CLERK.read(self.tmux.screen(self.id))

    def paste(self, text: str) -> None:
        """Paste through a buffer, as deliveries do."""
        Path("text").write_text(text, encoding="utf-8", newline="")
        self.tmux.paste(self.id, Path("text").absolute())

    def submit(self, text: str) -> None:
        """Paste the text in its literal form, see it, enter it."""
        typed = CLERK.literal(text)
        self.paste(typed)
        until(lambda: CLERK.holds(self.tmux.screen(self.id), typed), what=repr(text))
        self.tmux.keys(self.id, "Enter")

    def until(self, activity: Activity) -> None:
        """Wait until the kind reads that activity."""
        until(lambda: self.read().activity == activity, what=f"the activity {activity}")


@contextmanager
def _pane(*args: str) -> Iterator[Pane]:
    tmux = Tmux(Socket("own"))
    log = ("--log", str(Path("clerk.jsonl").absolute()))
    argv = (sys.executable, "-P", "-m", "mdtmux.agents.clerk", *log, *args)
    size = ("-x", "100", "-y", "30")
    made = tmux.call("new-session", "-d", "-P", "-F", "#{pane_id}", *size, *argv)
    try:
        pane = Pane(tmux, PaneId(made.strip()))
        pane.until(Activity.IDLE)
        yield pane
    finally:
        tmux.call("kill-server")


@pytest.fixture
def pane() -> Iterator[Pane]:
    """Start a clerk in tmux, and end the server after the test."""
    with _pane() as started:
        yield started


@pytest.fixture
def reader() -> Iterator[Pane]:
    """Start a clerk that follows no instruction, whatever it is sent."""
    with _pane("--prose") as started:
        yield started


def test_any_text_pasted_arrives() -> None:
    """Whatever the text, the log has exactly it, once."""
    with clerk("--prose") as seen:

        @settings(max_examples=60, phases=[Phase.generate])
        @given(st.text(KNOWN, min_size=1, max_size=2000))
        def check(text: str) -> None:
            assume(text.strip())
            before = len(submitted())
            seen.send("\x15")  # a failed example must not spoil the next
            seen.draft("")
            seen.submit(CLERK.literal(text))
            until(lambda: len(submitted()) > before, what="the submit")
            assert submitted()[before:] == [text]

        check()


def test_any_text_pasted_through_tmux_arrives(reader: Pane) -> None:
    """The same in a real pane, by tmux's own paste and Enter."""

    @settings(max_examples=25, phases=[Phase.generate])
    @given(st.text(KNOWN, min_size=1, max_size=300))
    def check(text: str) -> None:
        assume(text.strip())
        before = len(submitted())
        reader.submit(text)
        until(lambda: len(submitted()) > before, what=f"the submit of {text!r}")
        assert submitted()[before:] == [text]
        until(lambda: reader.read().draft == "", what="an empty draft")

    check()


@pytest.mark.parametrize(
    "text",
    ["SELECT 1;", ";", "- a\n- b", "--help", "Enter", "C-c", "!touch pwned", "/exit",
     "  two", "tail \n", "\ttab", "héé ✓ 🙂 你好 👩‍💻 🇩🇪", "l1\nl2\n\nl4", "{enter}",
     "a" * 5000, "line\n" * 400],
)  # fmt: skip
def test_known_hard_texts_arrive(pane: Pane, text: str) -> None:
    """Separators, options, key names, commands, emoji and long texts are only text."""
    pane.submit(text)
    until(lambda: submitted() == [text], what="the submit")
    assert not Path("pwned").exists()


def test_a_megabyte_through_tmux(pane: Pane) -> None:
    """1 MB arrives whole."""
    text = "0123456789abcde\n" * 65536
    pane.submit(text)
    until(lambda: submitted() == [text], what="the submit", seconds=30)


def test_the_screen_is_read_exactly_at_every_size(pane: Pane) -> None:
    """Resizing, down to 20x5 and up again, leaves one whole screen each time."""
    pane.submit("\n".join(f"say line {n} {'word ' * 20}" for n in range(12)))
    until(lambda: events("done"), what="the result")
    pane.tmux.call("set-option", "-g", "window-size", "manual")
    # Short enough for one row of the narrowest screen.
    pane.paste("a wide 你好 dr")
    sizes = [(20, 5), (200, 50), (21, 24), (80, 5), (60, 20), (20, 40), (100, 30)]
    for columns, rows in sizes:
        pane.tmux.call("resize-window", "-x", str(columns), "-y", str(rows))
        until(
            lambda: pane.read().draft == "a wide 你好 dr",
            what=f"the draft at {columns}x{rows}",
        )
        assert pane.read().activity == Activity.IDLE


@pytest.mark.parametrize(
    ("prompt", "activity", "dialog"),
    [
        ("sleep 60", Activity.BUSY, None),
        ("limit 60s", Activity.LIMITED, None),
        ("run true", Activity.WAITING, "approval"),
        ("ask Which? | Alpha | Beta | Gamma | Delta", Activity.WAITING, "question"),
    ],
)
def test_other_screens_survive_resizing_too(
    pane: Pane, prompt: str, activity: Activity, dialog: str | None
) -> None:
    """Busy, limited and asking are told at 20x5 as at any other size."""
    pane.submit(prompt)
    pane.until(activity)
    pane.tmux.call("set-option", "-g", "window-size", "manual")
    for columns, rows in [(20, 5), (120, 40), (40, 7)]:
        pane.tmux.call("resize-window", "-x", str(columns), "-y", str(rows))
        pane.until(activity)
        assert pane.read().dialog == dialog


def test_history_keeps_the_transcript_and_nothing_of_the_box(pane: Pane) -> None:
    """What scrolls away is the transcript once; redrawn rows leave no trace."""
    pane.submit("\n".join(f"say number {n}." for n in range(200)))
    until(lambda: events("done"), what="the result")
    pane.until(Activity.IDLE)
    text = pane.tmux.screen(pane.id, history=1000).text()
    assert [text.count(f"● number {n}.") for n in range(200)] == [1] * 200
    assert text.count("clerk · clerk") == 1
    assert "esc to interrupt" not in text
