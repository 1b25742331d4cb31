"""The manual's reference of the office file, drawn from the tables of `schema.py`."""

from __future__ import annotations

from collections.abc import Iterator

from mdtmux.office import schema
from mdtmux.office.fields import Field, Nested, Section


def reference() -> str:
    """Return the reference in Markdown: one table of keys for each mapping."""
    parts = [
        "**The office**",
        *_table(schema.TOP),
        "",
        "**An agent** (and, but for `name` and `branch`, `defaults`)",
        *_table(schema.AGENT),
        "",
        "**A process**: "
        + ", ".join(f"`{field.key}`" for field in schema.PROCESS.fields)
        + ", as in an agent; its `dir` is relative to the repository or absolute.",
    ]
    return "\n".join(parts) + "\n"


def _table(section: Section) -> Iterator[str]:
    yield ""
    yield "| key | value | default | what it does |"
    yield "|--|--|--|--|"
    for field in section.fields:
        yield _row(field.key, field)
        if isinstance(field.shape, Nested) and field is not schema.DEFAULT_KEYS:
            for inner in field.shape.section.fields:
                yield _row(f"{field.key}.{inner.key}", inner)


def _row(key: str, field: Field[object]) -> str:
    cells = [f"`{key}`", field.shape.words, field.default, field.doc]
    if field is schema.DEFAULT_KEYS:
        cells[1] = "keys of an agent"
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
