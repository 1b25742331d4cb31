"""The office file is found from anywhere below it."""

from __future__ import annotations

from pathlib import Path

from mdtmux.office.finding import find
from tests.support.office_files import write


def test_the_nearest_file_above_is_found() -> None:
    """`office.yaml` here or above, whatever the depth; the nearer one wins."""
    top = write("a").absolute()
    deep = Path("a/b/c")
    deep.mkdir(parents=True)
    assert find(deep) == top
    assert find(Path("a")) == top
    near = Path("a/office.yml")
    near.write_text("", encoding="utf-8")
    assert find(deep) == near.absolute()


def test_office_yaml_goes_before_office_yml() -> None:
    """When both are there, the one that init writes counts; a folder never does."""
    Path("sub/office.yaml").mkdir(parents=True)
    Path("sub/office.yml").write_text("", encoding="utf-8")
    assert find(Path("sub")) == Path("sub/office.yml").absolute()
    path = write("a").absolute()
    Path("office.yml").write_text("", encoding="utf-8")
    assert find(Path()) == path


def test_nothing_is_found_where_nothing_is(world: Path) -> None:
    """Up to the root, and then it is None."""
    assert find(world) is None
