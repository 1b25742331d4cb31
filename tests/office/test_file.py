"""The reader of the office file: bytes, YAML, and everything that is not."""

from __future__ import annotations

import json
import os
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from mdtmux.errors import OfficeFileError
from mdtmux.office.file import MAX_FILE, load
from mdtmux.office.schema import AGENT, PROCESS
from mdtmux.office.schema import TOP as TOP_KEYS
from tests.support.office_files import agent, fault, faults, office, problems, write

GOOD = "name: lab\nagents:\n- name: a\n  kind: clerk\n  prompt: |\n    one\n    two\n"
TOP = {
    "": "office.yaml: the file is empty (`mdtmux init` writes one to start from)",
    "# only words\n": "office.yaml: the file is empty (`mdtmux init` writes one to start from)",
    "---\n": "office.yaml:2:1: expected a mapping, got nothing (leave the key out)",
    "- a\n": "office.yaml:1:1: expected a mapping, got a list",
    "just words\n": "office.yaml:1:1: expected a mapping, got `just words`",
    "name: a\n---\nname: b\n": (
        "office.yaml:2:1: a second document begins; an office file has one"
    ),
    "{}\n": "office.yaml:1:1: an office needs at least one agent or process",
    "agents: []\n": "office.yaml:1:1: at agents: an office needs at least one agent or process",
    "agents:\n": "office.yaml:1:1: at agents: expected a list, got nothing (leave the key out)",
    "agents: {a: {kind: clerk}}\n": (
        "office.yaml:1:1: at agents: expected a list, got a mapping"
    ),
    "agents: [x]\n": "office.yaml:1:10: at agents[1]: expected a mapping, got `x`",
}


@pytest.mark.parametrize("text", TOP)
def test_the_top_of_the_file(text: str) -> None:
    """Nothing, a list, a string, two documents: one clear message each."""
    assert faults(text) == [TOP[text]]


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ("name: x\nagents:\n\t- a\n", "3:1", "a tab cannot indent, use spaces"),
        ("name: a: b\n", "1:8", "a `: ` inside a text needs quotes around the text"),
        ("name: `x`\n", "1:7", "a text that begins with this character needs quotes"),
        ("name: @x\n", "1:7", "a text that begins with this character needs quotes"),
    ],
)
def test_broken_yaml_tells_place_and_remedy(text: str, place: str, hint: str) -> None:
    """A syntax error has its line and column and says what to do."""
    message = fault(text)
    assert message.startswith(f"{place}: not valid YAML: ")
    assert message.endswith(f"({hint})")


def test_an_open_bracket_tells_where_it_was_opened() -> None:
    """The end of the file is not where the fault is; the opening is told too."""
    assert fault("name: x\ntmux: {socket: own\nagents: []\n").endswith(
        "that begins at 2:7)"
    )


def test_byte_order_mark_and_crlf() -> None:
    """Files from Windows editors read as any other; line ends become line feeds."""
    text = "\ufeff" + GOOD.replace("\n", "\r\n")
    assert office(text).agents[0].prompt == "one\ntwo\n"


def test_places_count_characters_not_bytes() -> None:
    """A column is what an editor shows, also after accents."""
    assert fault(
        "x-é: {é: é, nam: 1}\nname: 'é'\nagents: [{name: a, kind: clerk}]\n"
    ) == (
        "2:1: at name: `é`: `é` cannot stand there: names are letters, digits, - and _, "
        "a letter or digit first"
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"name: x\n# caf\xe9\n",
            "2:6: byte 0xe9 is not UTF-8 (save the file as UTF-8)",
        ),
        ("name: x".encode("utf-16"), "the file is UTF-16 (save it as UTF-8)"),
        (
            b"name: x\nversion: \x1b[0m\n",
            "2:10: the character U+001B cannot stand in an office file "
            "(in double quotes it can be written as an escape)",
        ),
        (
            "name: x\nversion: a\u2028b\n".encode(),
            "2:11: the character U+2028 cannot stand in an office file "
            "(in double quotes it can be written as an escape)",
        ),
    ],
)
def test_bytes_that_are_no_text(data: bytes, message: str) -> None:
    """What cannot be read is named with its place and the remedy."""
    assert fault(data) == message


def test_a_file_that_is_too_large_is_not_parsed() -> None:
    """The limit is stated."""
    assert fault(b"#" * (MAX_FILE + 1)) == "`office.yaml` is larger than 4.0MB"


def test_a_missing_file_a_folder_and_a_pipe(world: Path) -> None:
    """What is no file is an error that names it; a pipe does not block the command."""
    here = Path.cwd()
    (here / "folder").mkdir()
    os.mkfifo(here / "pipe")
    found = {}
    for name in ("missing", "folder", "pipe"):
        with pytest.raises(OfficeFileError) as caught:
            load(Path(name))
        found[name] = str(caught.value)
    assert found == {
        "missing": "missing: cannot read `missing`: no such file or directory",
        "folder": "folder: `folder` is not a regular file",
        "pipe": "pipe: `pipe` is not a regular file",
    }


def test_a_path_that_leads_nowhere_is_an_error() -> None:
    """A link to itself, or a file taken for a folder, is told, not a traceback."""
    Path("loop").symlink_to("loop")
    assert "too many levels of symbolic links" in fault_of(Path("loop"))
    assert "not a directory" in fault_of(write(GOOD) / "office.yaml")


def fault_of(path: Path) -> str:
    """Return the message of a file that cannot be loaded."""
    with pytest.raises(OfficeFileError) as caught:
        load(path)
    return str(caught.value)


def test_all_problems_come_at_once_in_file_order() -> None:
    """Nobody has to mend a file one run at a time."""
    assert faults(
        "name: my.app\n"
        "restrat: always\n"
        "max_active: 3\n"
        "agents:\n"
        "  - name: michael\n"
        "    kind: claude\n"
        "  - name: jim\n"
        "    comand: [opencode]\n"
        "    kind: clerk\n"
        "    worktree: [a]\n"
        "tmux: {sokcet: own}\n"
    ) == [
        "office.yaml:1:1: at name: `my.app`: `.` cannot stand there: names are letters, "
        "digits, - and _, a letter or digit first",
        "office.yaml:2:1: at restrat: unknown key "
        "(did you mean `restart`, which is not supported yet?)",
        "office.yaml:3:1: at max_active: not supported yet",
        "office.yaml:8:5: at agents[2] 'jim' > comand: unknown key "
        "(did you mean `command`?)",
        "office.yaml:10:5: at agents[2] 'jim' > worktree: expected true, false or "
        "{share: AGENT}, got a list",
        "office.yaml:11:8: at tmux > sokcet: unknown key (did you mean `socket`?)",
    ]


def test_a_file_elsewhere_is_named_by_its_path(world: Path) -> None:
    """A file below the working directory is named from there, others in full."""
    below = write("a", Path("sub"))
    assert fault_of(below.absolute()).startswith("sub/office.yaml:1:1: ")
    other = write("a", world / "other")
    assert fault_of(other).startswith(f"{world}/other/office.yaml:1:1: ")


@pytest.mark.parametrize(
    "tag", ["!!python/object:os.system", "!!int", "!mine", "!!binary"]
)
def test_tags_have_no_meaning(tag: str) -> None:
    """Nothing is ever constructed from a tag."""
    shown = tag.replace("!!", "tag:yaml.org,2002:")
    assert agent_prompt(f"{tag} 'x'") == (
        f"1:41: the tag `{shown}` has no meaning in an office file"
    )


def agent_prompt(value: str) -> str:
    """Return the message about a prompt."""
    return fault(f"agents: [{{name: a, kind: clerk, prompt: {value}}}]\n")


def test_the_plain_tag_of_a_text_is_right() -> None:
    """`!!str` says what is meant anyway."""
    assert agent("prompt: !!str no").prompt == "no"


def test_control_characters_never_reach_the_terminal() -> None:
    """An escape sequence in a file is shown escaped in the message."""
    assert fault('"\\e[31m": 1\nagents: [{name: a, kind: clerk}]\n') == (
        "1:1: at \\x1b[31m: unknown key (known here: name version repo base worktrees "
        "tmux defaults agents processes buffer)"
    )


YAMLISH = st.text(alphabet="aé:-[]{}&*<!|>'\"#,?%@` \n\t\r0~\\", max_size=200)


@hypothesis.given(st.one_of(st.binary(max_size=200), YAMLISH.map(str.encode)))
@hypothesis.settings(max_examples=300)
def test_any_bytes_load_or_are_told_about(data: bytes) -> None:
    """Whatever stands in the file, the answer is an office or a list of problems."""
    for problem in problems(data):
        assert problem.message.isprintable()
        assert problem.path.isprintable()


SECTIONS = (TOP_KEYS, AGENT, PROCESS)
KEYS = st.sampled_from(
    ["share", "pattern", "timeout", "keys", "size", "idle"]
    + [field.key for section in SECTIONS for field in section.fields]
)
SCALARS = st.one_of(
    st.sampled_from(
        ["a", "b", "clerk", "custom", "true", "null", "~", "5s", "-1", "(", "x/y"]
    ),
    st.text(max_size=8),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5)
    ),
    max_leaves=12,
)


@hypothesis.given(
    st.dictionaries(KEYS, VALUES, max_size=5),
    st.lists(st.dictionaries(KEYS, VALUES, max_size=5), max_size=3),
)
@hypothesis.settings(max_examples=300)
def test_any_shape_loads_or_is_told_about(
    top: dict[str, object], agents: list[object]
) -> None:
    """Right keys with wrong values anywhere never end in a traceback."""
    found = problems(json.dumps({**top, "agents": agents}, ensure_ascii=True))
    assert all(problem.message.isprintable() for problem in found)


def test_many_faults_are_all_told() -> None:
    """A large file of nonsense is refused in bounded time, every line of it."""
    text = "agents: [{name: a, kind: clerk}]\n"
    text += "".join(f"k{number}: x\n" for number in range(20_000))
    assert len(faults(text)) == 20_000
