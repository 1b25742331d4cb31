"""The office file's JSON Schema, for editors: drawn from the tables of `schema.py`."""

from __future__ import annotations

from mdtmux.office.fields import JsonSchema, section_json
from mdtmux.office.schema import TOP

DIALECT = "http://json-schema.org/draft-07/schema#"


def schema() -> JsonSchema:
    """Return the schema, draft 7: the newest that the YAML language server reads."""
    return {
        "$schema": DIALECT,
        "title": "mdtmux office file",
        **section_json(TOP),
        "anyOf": [{"required": ["agents"]}, {"required": ["processes"]}],
    }
