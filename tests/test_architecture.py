"""The house keeps its rules; and each rule bites."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import architecture
from tests.support.architecture import RULES, TEST_RULES, Rule

ROOT = Path(__file__).parent.parent


def _name(rule: Rule) -> str:
    return rule.__name__


@pytest.mark.parametrize("rule", RULES, ids=_name)
def test_the_package_keeps(rule: Rule) -> None:
    """The package breaks no rule of the house."""
    assert rule(architecture.load(ROOT / "mdtmux")) == []


@pytest.mark.parametrize("rule", [*TEST_RULES, architecture.escapes], ids=_name)
def test_the_tests_keep(rule: Rule) -> None:
    """The tests break none of the rules that hold for tests."""
    assert rule(architecture.load(ROOT / "tests")) == []


def _tree(root: Path, **files: str) -> architecture.Modules:
    for name, text in files.items():
        path = root / "mdtmux" / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return architecture.load(root / "mdtmux")


LONG = "def f():\n" + "    x = 1\n" * 40
OFFENCES = [
    (
        architecture.floors,
        {"office__a": "from mdtmux.agents import b", "agents__b": ""},
    ),
    (architecture.floors, {"record__a": "import mdtmux.delivery.b", "delivery__b": ""}),
    (
        architecture.floors,
        {"office__a": "def f():\n from mdtmux.cli.b import c", "cli__b": ""},
    ),
    (architecture.floors, {"errors": "import mdtmux.system.b", "system__b": ""}),
    (architecture.floors, {"elsewhere__a": ""}),
    (architecture.doors, {"running__a": "def f():\n    import libtmux.pane"}),
    (architecture.doors, {"office__a": "from yaml import load"}),
    (architecture.doors, {"agents__a": "import subprocess"}),
    (architecture.doors, {"running__a": "import click"}),
    (architecture.doors, {"system__tmux": "import requests"}),
    (
        architecture.cycles,
        {"office__a": "from . import b", "office__b": "def f():\n from .a import c"},
    ),
    (architecture.escapes, {"units": "import typing\nif typing.TYPE_CHECKING: pass"}),
    (architecture.escapes, {"units": "x = 1  # " + "no" + "qa"}),
    (architecture.escapes, {"units": "x = 1  # type" + ": ignore[misc]"}),
    (architecture.escapes, {"units": "from typing import Any"}),
    (architecture.printing, {"running__a": "print('hello')"}),
    (architecture.budgets, {"units": LONG}),
    (architecture.budgets, {"units": "x = 1\n" * 351}),
    (architecture.budgets, {"units": "def f(a, b, c, d, *, e, f): ..."}),
    (architecture.budgets, {"units": "class A:\n def f(self, a, b, c, d, e, f): ..."}),
    (architecture.docstrings, {"units": "x = 1"}),
    (architecture.docstrings, {"units": '"""Doc."""\ndef f(): ...'}),
    (
        architecture.docstrings,
        {"units": '"""D."""\nclass A:\n """D."""\n def f(s): ...'},
    ),
    (architecture.sleeping, {"units": "import time\ntime.sleep(1)"}),
    (architecture.plain_tests, {"units": "class TestThis: ..."}),
    (architecture.plain_tests, {"units": "def test_this(): ..."}),
]


@pytest.mark.parametrize(("rule", "files"), OFFENCES)
def test_each_offence_is_seen(
    rule: Rule, files: dict[str, str], tmp_path: Path
) -> None:
    """A rule that has never been red proves nothing."""
    assert len(rule(_tree(tmp_path, **files))) == (
        2 if rule == architecture.cycles else 1
    )


ALLOWED = [
    (architecture.floors, {"cli__a": "from mdtmux.office import b", "office__b": ""}),
    (architecture.floors, {"system__a": "from mdtmux.errors import E", "errors": ""}),
    (
        architecture.floors,
        {"agents__clerk__a": "import mdtmux.agents.b", "agents__b": ""},
    ),
    (architecture.doors, {"system__git": "import git, subprocess, os.path"}),
    (architecture.doors, {"cli__up": "import click"}),
    (architecture.cycles, {"office__a": "from . import b", "office__b": ""}),
    (
        architecture.budgets,
        {"cli__a": "@click.command()\ndef command(a, b, c, d, e, f, g): ..."},
    ),
    (architecture.budgets, {"units": LONG.replace("    x = 1\n", '    """D."""\n', 1)}),
    (architecture.docstrings, {"units": '"""D."""\ndef _f(): ...'}),
]


@pytest.mark.parametrize(("rule", "files"), ALLOWED)
def test_what_is_allowed_passes(
    rule: Rule, files: dict[str, str], tmp_path: Path
) -> None:
    """A rule asks for no more than it says."""
    assert rule(_tree(tmp_path, **files)) == []
