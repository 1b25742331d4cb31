"""Bytes become the same events however they are cut into reads."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.clerk.keys import Decoder, Event, Source

KEYS = [
    ("\r", "enter"), ("\n", "newline"), ("\x1b\r", "newline"), ("\x03", "interrupt"),
    ("\x04", "end-of-input"), ("\x15", "clear"), ("\x7f", "backspace"),
    ("\x1b[A", "up"), ("\x1bOA", "up"), ("\x1b[D", "left"), ("\x1b[3~", "delete"),
]  # fmt: skip
PRINTABLE = st.characters(exclude_categories=("Cs", "Cc"))


def _feed(data: bytes, cuts: list[int]) -> list[Event]:
    decoder = Decoder()
    places = [0, *sorted(cut for cut in cuts if 0 < cut < len(data)), len(data)]
    pieces = [data[a:b] for a, b in pairwise(places)]
    return [event for piece in pieces for event in decoder.feed(piece)]


def _joined(events: list[Event]) -> list[tuple[Source, str]]:
    """Return the events with neighbouring typed text put together."""
    found: list[tuple[Source, str]] = []
    for event in events:
        if found and event.source is found[-1][0] is Source.TYPED:
            found[-1] = (event.source, found[-1][1] + event.text)
        else:
            found.append((event.source, event.text))
    return found


@pytest.mark.parametrize(("sent", "name"), KEYS)
def test_keys_have_names(sent: str, name: str) -> None:
    """Each key that the clerk knows is told by the bytes terminals send for it."""
    assert _feed(sent.encode(), []) == [Event(Source.KEY, name, len(sent) == 1)]


@given(
    st.lists(st.text(PRINTABLE) | st.sampled_from([sent for sent, _ in KEYS])),
    st.text(),
    st.lists(st.integers(0, 400)),
)
def test_cuts_change_nothing(before: list[str], pasted: str, cuts: list[int]) -> None:
    """Reads may end anywhere: in a character, a sequence, a paste or its marks."""
    paste = pasted.encode().replace(b"\x1b[201~", b"")
    data = "".join(before).encode() + b"\x1b[200~" + paste + b"\x1b[201~"

    assert _joined(_feed(data, cuts)) == _joined(_feed(data, []))


@given(st.text())
def test_a_paste_is_one_event_with_plain_line_breaks(text: str) -> None:
    """CR, LF and CRLF are one line break each; all other characters are kept."""
    text = text.replace("\x1b[201~", "")
    (event,) = _feed(b"\x1b[200~" + text.encode() + b"\x1b[201~", [])

    wanted = text.replace("\r\n", "\n").replace("\r", "\n")
    assert event == Event(Source.PASTED, wanted)


@given(st.binary(), st.lists(st.integers(0, 100)))
def test_any_bytes_are_survived(data: bytes, cuts: list[int]) -> None:
    """Garbage gives events or nothing, and typing works after it."""
    decoder = Decoder()
    for event in _feed(data, cuts):
        assert event.source is not Source.TYPED or "\x1b" not in event.text
    decoder.feed(data.replace(b"\x1b[200~", b""))
    decoder.settle()
    assert not decoder.undecided


def test_an_escape_alone_is_a_key_after_a_moment() -> None:
    """Escape may begin a sequence, so only time tells."""
    decoder = Decoder()
    assert decoder.feed(b"\x1b") == []
    assert decoder.undecided
    assert decoder.settle() == [Event(Source.KEY, "escape")]
    assert not decoder.undecided
    assert decoder.settle() == []


def test_two_escapes_are_two_keys() -> None:
    """A quick second Escape does not swallow the first."""
    decoder = Decoder()
    assert decoder.feed(b"\x1b\x1b") == [Event(Source.KEY, "escape", alone=False)]
    assert decoder.settle() == [Event(Source.KEY, "escape")]


@pytest.mark.parametrize(
    ("data", "alone"),
    [
        (b"\r", True),
        (b"\r\r", True),
        (b"a\r", False),
        (b"\x1b[200~x\x1b[201~\r", False),
        (b"\x1b[201~\r", False),
    ],
)
def test_an_enter_knows_whether_it_came_alone(data: bytes, alone: bool) -> None:
    """Other bytes in the same read make a burst of it."""
    events = [event for event in _feed(data, []) if event.text == "enter"]
    assert events
    assert all(event.alone is alone for event in events)


def test_unknown_sequences_are_dropped() -> None:
    """Focus reports, mouse reports and function keys type nothing."""
    data = b"a\x1b[I\x1b[O\x1b[<0;1;2M\x1b[15~\x1b[1;5C\x1bOPb"
    assert _joined(_feed(data, [])) == [(Source.TYPED, "ab")]
