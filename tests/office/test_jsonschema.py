"""The JSON Schema agrees with the reader, key by key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mdtmux.office.fields import Nested, Records, Section
from mdtmux.office.jsonschema import schema
from mdtmux.office.reference import reference
from mdtmux.office.schema import TOP
from tests.support.office_files import problems

LAYOUTS = Path(__file__).resolve().parents[2] / "layouts"
VALIDATOR = jsonschema.Draft7Validator(dict(schema()))


def _sections(section: Section) -> Iterator[Section]:
    yield section
    for field in section.fields:
        if isinstance(field.shape, Nested | Records):
            yield from _sections(field.shape.section)


def _objects(node: object) -> Iterator[Mapping[str, object]]:
    if isinstance(node, Mapping):
        if node.get("type") == "object":
            yield node
        for value in node.values():
            yield from _objects(value)
    elif isinstance(node, list):
        for value in node:
            yield from _objects(value)


def _described(node: Mapping[str, object]) -> dict[str, str]:
    properties = node.get("properties")
    if not isinstance(properties, dict):
        return {}
    return {key: value["description"] for key, value in properties.items()}


def test_it_is_a_schema() -> None:
    """Editors can use it."""
    jsonschema.Draft7Validator.check_schema(schema())


def test_every_key_is_in_it_with_a_description() -> None:
    """A mapping of the schema has the keys of its section, each with its sentence."""
    found = [_described(node) for node in _objects(schema())]
    for section in _sections(TOP):
        keys = {field.key for field in section.fields}
        described = [one for one in found if set(one) == keys]
        assert described, keys
        assert all(
            sentence.endswith(".") for one in described for sentence in one.values()
        )


def test_no_object_accepts_other_keys() -> None:
    """What the reader refuses the editor underlines."""
    assert all("additionalProperties" in node for node in _objects(schema()))


@pytest.mark.parametrize(
    "file", sorted(LAYOUTS.glob("*.yaml")), ids=lambda file: file.stem
)
def test_the_templates_are_valid(file: Path) -> None:
    """Each template by the schema that its comment names."""
    VALIDATOR.validate(yaml.safe_load(file.read_text(encoding="utf-8")))


def test_the_schema_beside_the_templates_is_this_one() -> None:
    """The file in `layouts/` is made by `mdtmux config schema`."""
    text = (LAYOUTS / "office.schema.json").read_text(encoding="utf-8")
    assert json.loads(text) == schema()


AGENT = {"name": "a", "kind": "clerk"}


@pytest.mark.parametrize(
    "document",
    [
        {"agents": [AGENT], "restrat": "x"},
        {"agents": [{**AGENT, "comand": "x"}]},
        {"agents": [{"kind": "clerk"}]},
        {"agents": [{**AGENT, "worktree": ["x"]}]},
        {"agents": [{**AGENT, "worktree": {"shares": "x"}}]},
        {"agents": [{**AGENT, "kind": "cladue"}]},
        {"agents": [{"name": "a", "command": "x", "shell": "y"}]},
        {"agents": [{**AGENT, "env": {"A-B": "x"}}]},
        {"agents": [{**AGENT, "env": {"A": ["x"]}}]},
        {"agents": [{**AGENT, "name": "my.app"}]},
        {"agents": {"a": AGENT}},
        {"agents": [AGENT], "tmux": {"panes_per_window": 17}},
        {"agents": [AGENT], "tmux": {"size": "big"}},
        {"agents": [AGENT], "defaults": {"name": "x"}},
        {"processes": [{"name": "p", "command": "x", "prompt": "y"}]},
        {},
    ],
)
def test_both_refuse(document: Mapping[str, object]) -> None:
    """What is wrong is wrong in the editor and on the command line."""
    assert not VALIDATOR.is_valid(document)
    assert problems(json.dumps(document))


TEXTS = st.sampled_from(
    ["a", "b", "x y", "1.10", "true", "5s", "claude", "clerk", "tiled", "50x20", ""]
)
SCALARS = st.one_of(TEXTS, st.booleans(), st.integers(0, 20), st.none())
KEYS = sorted({field.key for section in _sections(TOP) for field in section.fields})
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from([*KEYS, "share", "A"]), inner, max_size=2)
    ),
    max_leaves=4,
)
AGENTS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=2).map(
    lambda keys: {**AGENT, **keys}
)
TOPS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=1)


@given(TOPS, st.lists(AGENTS, min_size=1, max_size=2))
@settings(max_examples=400)
def test_what_the_reader_takes_the_schema_takes(
    top: dict[str, object], agents: list[dict[str, object]]
) -> None:
    """An editor never underlines what works."""
    document = {**top, "agents": agents}
    if not problems(json.dumps(document)):
        VALIDATOR.validate(document)


def test_the_reference_has_every_key() -> None:
    """The manual's table has a row with a sentence for each key."""
    rows = [line for line in reference().splitlines() if line.startswith("| `")]
    keys = {row.split("`")[1].rpartition(".")[2] for row in rows}
    assert keys == set(KEYS)
    assert all(len(row.replace("\\|", "").split("|")) == 6 for row in rows)
    assert all(row.rstrip(" |").endswith(".") for row in rows)
