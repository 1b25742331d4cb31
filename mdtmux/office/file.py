"""The only YAML reader: an office file becomes an `Office`, or all its problems.

Scalars are never constructed, so nothing is taken for a number, a date or a yes; the
parser's events are used as they come, with libyaml when PyYAML was built with it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import yaml

from mdtmux.errors import OfficeFileError, Problem
from mdtmux.office.build import build_office
from mdtmux.office.disk import read_bounded
from mdtmux.office.model import Office
from mdtmux.office.nodes import Node, Scalar, shown
from mdtmux.office.report import Where, in_file_order
from mdtmux.office.tree import Hopeless, TreeBuilder

MAX_FILE = 4_000_000
_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
# What YAML forbids, and the line ends of YAML 1.1 that no editor shows as such.
_FORBIDDEN = re.compile(
    "[^\t\n\r -~\xa0-\u2027\u202a-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_EXPLAINED = {
    "mapping values": "a `: ` inside a text needs quotes around the text",
    "start any token": "a text that begins with this character needs quotes",
}


def load(path: Path) -> Office:
    """Return the office that the file declares.

    Nothing is started, and no repository is looked at; prompt files are read.

    Raises:
        OfficeFileError: carries every problem of the file, in the file's order.
    """
    problems: dict[Problem, None] = {}
    top = Where(problems, 0, 0)
    office = None
    root = read_tree(path, top)
    if root is not None:
        office = build_office(root, Path(os.path.realpath(path)), top)
    if office is None or problems:
        raise OfficeFileError(label(path), in_file_order(problems))
    return office


def label(path: Path) -> str:
    """Return the file's name for messages: as short as one still finds it by."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def read_tree(path: Path, top: Where) -> Node | None:
    """Return the file's only document as a tree; None after noting why not."""
    text = _read(path, top)
    if text is None:
        return None
    builder = TreeBuilder(top)
    try:
        _parse(text, builder, top)
    except Hopeless:
        return None
    except yaml.MarkedYAMLError as error:
        _note_syntax(error, text, top)
        return None
    except yaml.YAMLError as error:
        top.fault(f"not valid YAML: {error}")
        return None
    if builder.root is None:
        top.fault("the file is empty", "`mdtmux init` writes one to start from")
    return builder.root


def _read(path: Path, top: Where) -> str | None:
    data = read_bounded(path, MAX_FILE, top)
    if data is None:
        return None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        top.fault("the file is UTF-16", "save it as UTF-8")
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = _position(data[: error.start].decode("utf-8-sig"))
        byte = f"byte 0x{data[error.start]:02x} is not UTF-8"
        Where(top.problems, line, column).fault(byte, "save the file as UTF-8")
        return None
    bad = _FORBIDDEN.search(text)
    if bad is None:
        return text
    line, column = _position(text[: bad.start()])
    message = f"the character U+{ord(bad[0]):04X} cannot stand in an office file"
    hint = "in double quotes it can be written as an escape"
    Where(top.problems, line, column).fault(message, hint)
    return None


def _position(before: str) -> tuple[int, int]:
    lines = before.split("\n")
    return len(lines), len(lines[-1]) + 1


def _parse(text: str, builder: TreeBuilder, top: Where) -> None:
    documents = 0
    for event in yaml.parse(text, Loader=_LOADER):
        mark = event.start_mark
        if mark is None:
            continue
        line, column = mark.line + 1, mark.column + 1
        match event:
            case yaml.ScalarEvent():
                plain = not event.style and event.tag is None
                node = Scalar(line, column, event.value, plain)
                _refuse_tag(event.tag, "str", node, top)
                builder.scalar(node, event.anchor)
            case yaml.CollectionStartEvent():
                is_table = isinstance(event, yaml.MappingStartEvent)
                place = Scalar(line, column, "", plain=True)
                _refuse_tag(event.tag, "map" if is_table else "seq", place, top)
                builder.open(line, column, is_table, event.anchor)
            case yaml.CollectionEndEvent():
                builder.close()
            case yaml.AliasEvent():
                builder.alias(line, column, str(event.anchor))
            case yaml.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    where = top.enter("", Scalar(line, column, "", plain=True))
                    where.fault("a second document begins; an office file has one")
                    raise Hopeless


def _refuse_tag(tag: str | None, kind: str, node: Scalar, top: Where) -> None:
    if tag is not None and tag != f"tag:yaml.org,2002:{kind}":
        where = top.enter("", node)
        where.fault(f"the tag {shown(tag)} has no meaning in an office file")


def _note_syntax(error: yaml.MarkedYAMLError, text: str, top: Where) -> None:
    mark = error.problem_mark or error.context_mark
    problem = error.problem or error.context or "it cannot be parsed"
    if mark is None:
        top.fault(f"not valid YAML: {problem}")
        return
    place = Where(top.problems, mark.line + 1, mark.column + 1)
    begin = error.context_mark
    hint = next((why for part, why in _EXPLAINED.items() if part in problem), None)
    if text[mark.index : mark.index + 1] == "\t":
        hint = "a tab cannot indent, use spaces"
    elif hint is None and begin is not None and error.context:
        hint = f"{error.context} that begins at {begin.line + 1}:{begin.column + 1}"
    place.fault(f"not valid YAML: {problem}", hint)
