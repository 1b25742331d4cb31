"""`mdtmux init` as people type it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mdtmux.office.file import load
from tests.support.cli import run

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted(file.stem for file in (ROOT / "layouts").glob("*.yaml"))


def test_init_writes_an_office_that_is_valid() -> None:
    """Two files, named on stdout; the office is one at once."""
    done = run("init")
    assert (done.code, done.out) == (0, "office.yaml\noffice.schema.json\n")
    assert run("config", "validate").out == "office.yaml: ok — 2 agents\n"


@pytest.mark.parametrize("name", TEMPLATES)
def test_each_template_is_an_office(name: str) -> None:
    """It begins by saying what it is, and names the schema for editors."""
    assert run("init", "--template", name).code == 0
    first, second = Path("office.yaml").read_text(encoding="utf-8").splitlines()[:2]
    assert first.startswith("# ")
    assert second == "# yaml-language-server: $schema=office.schema.json"
    assert load(Path("office.yaml")).agents


def test_init_never_overwrites() -> None:
    """What is there stays; --force keeps it under another name."""
    Path("office.yaml").write_text("mine\n", encoding="utf-8")
    done = run("init")
    assert (done.code, done.out) == (4, "")
    assert "error: `office.yaml` exists already\n" in done.err
    assert Path("office.yaml").read_text(encoding="utf-8") == "mine\n"
    assert not Path("office.schema.json").exists()
    assert run("init", "--force").code == 0
    assert Path("office.yaml.bak").read_text(encoding="utf-8") == "mine\n"
    assert run("init", "--force").code == 0
    assert Path("office.yaml.bak").read_text(encoding="utf-8") == "mine\n"
    assert Path("office.yaml.bak2").exists()


@pytest.mark.parametrize("name", ["office.yml", "office.yaml"])
def test_init_sees_the_other_name_and_links_to_nowhere(name: str) -> None:
    """A second office file beside the first would hide it; a dangling link is one."""
    Path(name).symlink_to("nowhere")
    assert run("init").code == 4
    assert not Path("nowhere").exists()


def test_init_writes_where_it_is_told() -> None:
    """-f FILE names the file; a missing folder is an error in one line."""
    assert (
        run("-f", "team.yaml", "init", "-t", "solo", "--no-schema").out == "team.yaml\n"
    )
    assert "yaml-language-server" not in Path("team.yaml").read_text(encoding="utf-8")
    assert not Path("office.schema.json").exists()
    done = run("-f", "no/such/team.yaml", "init")
    assert (done.code, done.out) == (1, "")
    assert (
        "error: cannot write `no/such/team.yaml`: no such file or directory\n"
        in done.err
    )


def test_init_lists_the_templates() -> None:
    """Each with its line."""
    done = run("init", "--list")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()[1:]] == TEMPLATES
    found = run("init", "--list", "--json").json()
    assert isinstance(found, list)
    assert [one["name"] for one in found] == TEMPLATES
    assert not Path("office.yaml").exists()


def test_an_unknown_template_suggests_the_nearest() -> None:
    """And writes nothing."""
    done = run("init", "--template", "sollo")
    assert (done.code, done.out) == (2, "")
    assert (
        done.err == "error: there is no template `sollo`\nhint: did you mean `solo`?\n"
    )
    assert not Path("office.yaml").exists()


def test_init_as_json() -> None:
    """The files that were written; a second time the schema is left alone."""
    assert run("init", "--json").json() == {
        "template": "pair",
        "written": ["office.yaml", "office.schema.json"],
    }
    assert run("init", "--force", "--json").json() == {
        "template": "pair",
        "written": ["office.yaml"],
    }


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("name", [".", "/", "team", "team/", "gone/", "link"])
def test_a_folder_is_no_office_file(name: str, force: tuple[str, ...]) -> None:
    """It stays where it is, with all that is in it, whatever is given."""
    Path("team").mkdir()
    Path("team/work").write_text("mine\n", encoding="utf-8")
    Path("link").symlink_to("team")

    done = run("-f", name, "init", *force)

    assert (done.code, done.out) == (2, "")
    assert f"error: `{name}` is a folder" in done.err
    assert sorted(path.name for path in Path().iterdir()) == ["link", "team"]
    assert Path("team/work").read_text(encoding="utf-8") == "mine\n"


def test_what_is_no_file_is_not_moved_aside() -> None:
    """A folder of the other name an office file may have, and a pipe."""
    Path("office.yml").mkdir()
    os.mkfifo("pipe")

    assert run("init", "--force").code == 2
    assert run("-f", "pipe", "init", "--force").code == 2

    assert sorted(path.name for path in Path().iterdir()) == ["office.yml", "pipe"]


@pytest.mark.parametrize("text", ["mine\n", '{"title": "mine"}', "[]", "[" * 99_999])
def test_somebody_elses_schema_is_left_alone(text: str) -> None:
    """It is refused before anything is written; --no-schema goes on beside it."""
    Path("office.schema.json").write_text(text, encoding="utf-8")

    done = run("init", "--force")

    assert (done.code, done.out) == (4, "")
    assert "`office.schema.json` is there already" in done.err
    assert "--no-schema" in done.err
    assert not Path("office.yaml").exists()
    assert run("init", "--no-schema").code == 0
    assert Path("office.schema.json").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("there", [True, False])
def test_no_link_is_followed_to_write_the_schema(there: bool) -> None:
    """Neither to a schema that mdtmux once wrote, nor to nowhere."""
    old = '{"title": "mdtmux office file"}'
    if there:
        Path("theirs").write_text(old, encoding="utf-8")
    Path("office.schema.json").symlink_to("theirs")

    assert run("init").code == 4

    assert not Path("office.yaml").exists()
    assert not there or Path("theirs").read_text(encoding="utf-8") == old
    assert Path("theirs").exists() is there


def test_a_schema_of_an_older_mdtmux_is_renewed() -> None:
    """It is told by its title, whatever else it says."""
    old = '{"title": "mdtmux office file", "old": true}'
    Path("office.schema.json").write_text(old, encoding="utf-8")

    assert run("init").out == "office.yaml\noffice.schema.json\n"

    assert '"old": true' not in Path("office.schema.json").read_text(encoding="utf-8")
