"""The shapes that belong to one key: `kind`, `branch`, `worktree`, `depends_on`."""

from __future__ import annotations

from dataclasses import dataclass

from mdtmux.office.branches import branch_fault
from mdtmux.office.fields import Field, JsonSchema, Section, read_record, section_json
from mdtmux.office.lists import Words
from mdtmux.office.model import Isolation
from mdtmux.office.nodes import Node, Scalar, Table, shown
from mdtmux.office.report import Where
from mdtmux.office.texts import SCALAR_TYPES, Choice, Name, read_text

CUSTOM = "custom"
KINDS = (
    "claude",
    "codex",
    "opencode",
    "gemini",
    "qwen",
    "pi",
    "openclaw",
    "clerk",
    CUSTOM,
)
# A command that runs one of these programs is of that kind unless `kind` says else.
PROGRAMS = ("claude", "codex", "opencode", "gemini", "qwen", "pi", "openclaw")
# Their CLIs run commands and write files without any approval.
NEVER_ASK = ("pi", "openclaw")
_TRUE = ("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON")
_FALSE = ("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF")
_SHARE = Field("share", Name(), "The agent in whose worktree this one works too.")
_SHARING = Section("`worktree`", (_SHARE,), ("share",))


@dataclass(frozen=True, slots=True)
class KindChoice:
    """An agent CLI that mdtmux knows, or `custom`."""

    words: str = " | ".join(KINDS)

    def read(self, node: Node, where: Where) -> str | None:
        """Return the kind's name."""
        return Choice(KINDS).read(node, where)

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return Choice(KINDS).json()


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch name that git takes."""

    words: str = "branch"

    def read(self, node: Node, where: Where) -> str | None:
        """Return the name."""
        text = read_text(node, where)
        if text is None:
            return None
        fault = branch_fault(text)
        if fault is not None:
            where.fault(f"{shown(text)} is no branch name: {fault}")
            return None
        return text

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return {"type": list(SCALAR_TYPES), "minLength": 1}


@dataclass(frozen=True, slots=True)
class WorktreeChoice:
    """`true`, `false` or `{share: AGENT}`."""

    words: str = "true | false | {share: AGENT}"

    def read(self, node: Node, where: Where) -> tuple[Isolation, str | None] | None:
        """Return the isolation, and whose worktree is shared."""
        if isinstance(node, Scalar) and node.plain and node.text in _TRUE:
            return Isolation.OWN, None
        if isinstance(node, Scalar) and node.plain and node.text in _FALSE:
            return Isolation.OFFICE, None
        if isinstance(node, Table):
            record = read_record(_SHARING, node, where)
            share = record and record.get(_SHARE)
            return (Isolation.SHARE, share) if share else None
        where.expected("true, false or {share: AGENT}", node)
        return None

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        words = {"enum": [True, False, *_TRUE[3:], *_FALSE[3:]]}
        return {"anyOf": [words, section_json(_SHARING)]}


@dataclass(frozen=True, slots=True)
class Names:
    """One name or a list of names of other members of the office."""

    words: str = "name or list of names"

    def read(self, node: Node, where: Where) -> tuple[str, ...] | None:
        """Return the names in order, each once."""
        if isinstance(node, Table):
            where.fault("conditions are not supported yet", "write a list of names")
            return None
        names = Words(single=True).read(node, where)
        return None if names is None else tuple(dict.fromkeys(names))

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return Words(single=True).json()
