"""The language in which `schema.py` writes the office file's tables of keys.

A `Field` is a key with the shape of its value, its documentation and its default;
a `Section` is a table of them. Reading a mapping by a section gives a `Record`.
The JSON Schema and the manual's reference are drawn from the same tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, cast

from mdtmux.names import nearest
from mdtmux.office.nodes import Listing, Node, Scalar, Table
from mdtmux.office.report import Where

T_co = TypeVar("T_co", covariant=True)
_MANY = 50
JsonSchema = Mapping[str, object]


class Shape(Protocol[T_co]):
    """What a value must look like."""

    @property
    def words(self) -> str:
        """The shape in a few words, for the reference."""

    def read(self, node: Node, where: Where) -> T_co | None:
        """Return the value; None after noting at `where` what is wrong with it."""

    def json(self) -> JsonSchema:
        """Return the shape as JSON Schema, for editors."""


@dataclass(frozen=True, slots=True)
class Field(Generic[T_co]):
    """One key: `doc` is a sentence, `default` is what people read in the manual."""

    key: str
    shape: Shape[T_co]
    doc: str
    default: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A table of keys.

    `what` names the mapping in messages; `later` are keys that will come; `strangers`
    maps keys that belong elsewhere to a hint; keys that begin with `free` are the
    user's own, a place for anchors; of the keys in `apart` one can be given.
    """

    what: str
    fields: tuple[Field[object], ...]
    required: tuple[str, ...] = ()
    later: frozenset[str] = frozenset()
    strangers: Mapping[str, str] | None = None
    free: str | None = None
    apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping that was read: the values that were right, and where each key stands.

    `places` also has the keys whose value was wrong.
    """

    where: Where
    values: Mapping[str, object]
    places: Mapping[str, Where]

    def get(self, field: Field[T_co]) -> T_co | None:
        """Return the value of the field, None when absent or wrong."""
        return cast("T_co | None", self.values.get(field.key))

    def has(self, field: Field[object]) -> bool:
        """Tell whether the mapping has the key, rightly or wrongly filled."""
        return field.key in self.places

    def at(self, field: Field[object]) -> Where:
        """Return where the key stands, or the whole mapping when it is absent."""
        return self.places.get(field.key, self.where)


def read_record(section: Section, node: Node, where: Where) -> Record | None:
    """Read a mapping by a section and note every fault; None when it is no mapping."""
    if not isinstance(node, Table):
        where.expected("a mapping", node)
        return None
    values: dict[str, object] = {}
    places: dict[str, Where] = {}
    fields = {field.key: field for field in section.fields}
    for key, value in node.entries:
        place = where.enter(key.text, key)
        field = fields.get(key.text)
        if field is None:
            if section.free is None or not key.text.startswith(section.free):
                _refuse_key(section, key.text, place)
            continue
        places[key.text] = place
        read = field.shape.read(value, place)
        if read is not None:
            values[key.text] = read
    for name in section.required:
        if name not in places:
            where.fault(f"{section.what} needs `{name}`")
    given = [name for name in places if name in section.apart]
    if len(given) > 1:
        places[given[1]].fault(f"`{given[0]}` is given too; only one of them can be")
    return Record(where, values, places)


def _refuse_key(section: Section, key: str, place: Where) -> None:
    if key in section.later:
        place.fault("not supported yet")
        return
    if section.strangers and key in section.strangers:
        place.fault(f"{section.what} has no such key", section.strangers[key])
        return
    known = [field.key for field in section.fields]
    hint = f"known here: {' '.join(known)}"
    # The search for what was meant is slow; a file of nonsense gets the list instead.
    if len(place.problems) < _MANY and (near := nearest(key, [*known, *section.later])):
        later = ", which is not supported yet" if near in section.later else ""
        hint = f"did you mean `{near}`{later}?"
    place.fault("unknown key", hint)


@dataclass(frozen=True, slots=True)
class Nested(Generic[T_co]):
    """A mapping with keys of its own, made into a value by `build`."""

    section: Section
    build: Callable[[Record], T_co]

    @property
    def words(self) -> str:
        """The shape in a few words."""
        return f"{{{', '.join(field.key for field in self.section.fields)}}}"

    def read(self, node: Node, where: Where) -> T_co | None:
        """Return the built value."""
        record = read_record(self.section, node, where)
        return None if record is None else self.build(record)

    def json(self) -> JsonSchema:
        """Return the section's JSON Schema."""
        return section_json(self.section)


@dataclass(frozen=True, slots=True)
class Records:
    """A list of mappings with the same keys."""

    section: Section
    words: str = "list of mappings"

    def read(self, node: Node, where: Where) -> tuple[Record, ...] | None:
        """Return the mappings that could be read, in order; None when none could."""
        if not isinstance(node, Listing):
            where.expected("a list", node)
            return None
        records = []
        for number, item in enumerate(node.items, 1):
            place = where.item(number, item, _name_of(item))
            record = read_record(self.section, item, place)
            if record is not None:
                records.append(record)
        return tuple(records) if records or not node.items else None

    def json(self) -> JsonSchema:
        """Return a JSON Schema array."""
        return {"type": "array", "items": section_json(self.section)}


def _name_of(node: Node) -> str | None:
    """Return what a message should call the mapping: its `name`, if it has one."""
    if isinstance(node, Table):
        for key, value in node.entries:
            if key.text == "name" and isinstance(value, Scalar):
                return value.text
    return None


def section_json(section: Section) -> JsonSchema:
    """Return a section as a JSON Schema object that accepts no other key."""
    properties: dict[str, object] = {}
    for field in section.fields:
        text = field.doc + (f" Default: {field.default}." if field.default else "")
        properties[field.key] = {**field.shape.json(), "description": text}
    schema: dict[str, object] = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    if section.required:
        schema["required"] = list(section.required)
    if section.apart:
        schema["not"] = {"required": list(section.apart)}
    if section.free:
        schema["patternProperties"] = {f"^{section.free}": {}}
    return schema
