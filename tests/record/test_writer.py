"""The command for `pipe-pane`: text that neither tmux nor the shell takes apart."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mdtmux.record import writer
from mdtmux.record.segments import segments
from mdtmux.record.writer import pipe_command
from tests.support.recording import contents, make_ring

_names = st.text(
    st.characters(exclude_characters="\0/", codec="utf-8"), min_size=1, max_size=60
).filter(lambda name: name not in (".", ".."))


@given(_names)
def test_no_format_character_stands_in_the_command(name: str) -> None:
    """Neither `#` nor `%`, which tmux would replace."""
    with tempfile.TemporaryDirectory() as folder:
        command = pipe_command(Path(folder) / name, 2_000_000)
    assert not set("#%") & set(command)


@given(_names)
def test_the_shell_gets_the_folder_as_it_is(name: str) -> None:
    """Whatever the folder is called, it is one word with that text."""
    with tempfile.TemporaryDirectory() as parent:
        folder = make_ring(Path(parent) / name, b"x" * 1000, b"12345", first=7)
        command = pipe_command(folder, 3000)
    words = command.rpartition("; . ")[0]
    argv = ["/bin/sh", "-c", f"{words}; printf '%s\\0' \"$@\""]
    out = subprocess.run(argv, capture_output=True, check=True).stdout
    assert out.decode().split("\0") == [str(folder), "1000", "3", "8", "5", ""]


def test_a_smaller_ring_keeps_the_newest_bytes(world: Path) -> None:
    """The newest three segments; of bigger ones as much as two of the new size hold."""
    make_ring(world / "old", *[b"x" * 9] * 5)
    pipe_command(world / "old", 30)
    assert segments(world / "old") == [3, 4, 5]

    make_ring(world / "big", b"x" * 99, b"y" * 95, b"0123456789abcdef")
    words = pipe_command(world / "big", 30).rpartition("; . ")[0]
    assert contents(world / "big") == b"yyyy0123456789abcdef"
    assert shlex.split(words)[-2:] == ["5", "10"]


def test_the_script_is_shipped_and_plain_sh(world: Path) -> None:
    """The script lies beside the module, and is read by /bin/sh."""
    script = Path(writer.__file__).with_name("ring.sh")
    subprocess.run(["/bin/sh", "-n", str(script)], check=True)
    words = shlex.split(pipe_command(world, 10))
    assert words == ["set", "--", str(world), "3", "3", "1", "0;", ".", str(script)]
