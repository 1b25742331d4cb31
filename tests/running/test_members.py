"""Members that were spawned, in the state folder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from mdtmux.names import AgentName
from mdtmux.office.model import Agent
from mdtmux.running.members import drop_member, keep_member, read_members


def _member(name: str) -> Agent:
    return Agent(name=AgentName(name), kind="clerk", prompt=f"for {name}")


def test_a_member_comes_back_with_its_prompt(tmp_path: Path) -> None:
    """What was kept is read as it was, and is gone when it was dropped."""
    keep_member(tmp_path, _member("a"))
    assert read_members(tmp_path) == [_member("a")]
    assert drop_member(tmp_path, "a")
    assert not drop_member(tmp_path, "a")
    assert read_members(tmp_path) == []


def test_members_spawned_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    """No spawn forgets the member of another one."""
    names = [f"a{number}" for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(partial(keep_member, tmp_path), map(_member, names)))

    assert sorted(one.name for one in read_members(tmp_path)) == sorted(names)
