"""The command for `pipe-pane`: text that neither tmux nor the shell takes apart."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mdtmux.record import writer
from mdtmux.record.writer import pipe_command

_names = st.text(st.characters(exclude_characters="\0/", codec="utf-8"), min_size=1)


@given(_names)
def test_no_format_character_stands_in_the_command(name: str) -> None:
    """Neither `#` nor `%`, which tmux would replace."""
    command = pipe_command(Path("/tmp") / name, 2_000_000)
    assert not set("#%") & set(command)


@given(_names.filter(lambda name: name not in (".", "..")))
def test_the_shell_gets_the_folder_as_it_is(name: str) -> None:
    """Whatever the folder is called, it is one word with that text."""
    folder = Path("/tmp") / name
    command = pipe_command(folder, 3000)
    words = command.rpartition("; . ")[0]
    argv = ["/bin/sh", "-c", f"{words}; printf '%s\\0' \"$@\""]
    out = subprocess.run(argv, capture_output=True, check=True).stdout
    assert out.decode().split("\0") == [str(folder), "1000", "3", ""]


def test_the_script_is_shipped_and_plain_sh() -> None:
    """The script lies beside the module, is read by /bin/sh, and is small."""
    script = Path(writer.__file__).with_name("ring.sh")
    subprocess.run(["/bin/sh", "-n", str(script)], check=True)
    words = shlex.split(pipe_command(Path("/x"), 10))
    assert words == ["set", "--", "/x", "3", "3;", ".", str(script)]
