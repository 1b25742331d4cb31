"""`mdtmux init`: write an office file to start from, out of the templates."""

from __future__ import annotations

import os
from pathlib import Path

import click

from mdtmux.cli import output
from mdtmux.cli.completing import complete_template
from mdtmux.cli.values import layouts, templates
from mdtmux.errors import MdtmuxError, Refused, UsageError
from mdtmux.names import nearest
from mdtmux.office.finding import FILE_NAMES

_DEFAULT = "pair"
_SCHEMA = "office.schema.json"


@click.command()
@click.option(
    "--template",
    "-t",
    metavar="NAME",
    default=_DEFAULT,
    show_default=True,
    shell_complete=complete_template,
    help="Which template.",
)
@click.option("--list", "listing", is_flag=True, help="List the templates and stop.")
@click.option(
    "--force",
    is_flag=True,
    help="Write although there is one; that one is kept as .bak.",
)
@click.option("--no-schema", is_flag=True, help=f"Do not write {_SCHEMA} for editors.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    template: str,
    listing: bool,
    force: bool,
    no_schema: bool,
    as_json: bool,
) -> None:
    """Write an office file from a template, here or where -f FILE says.

    An existing office file is left alone unless --force is given. Beside it goes
    office.schema.json, by which editors complete and check the file as you type.
    """
    known = templates(ctx)
    if listing:
        _list(known, as_json)
        return
    if template not in known:
        near = nearest(template, known)
        message = f"there is no template `{template}`"
        hint = f"did you mean `{near}`?" if near else "templates: " + ", ".join(known)
        raise UsageError(message, hint=hint)
    text = (layouts() / f"{template}.yaml").read_text(encoding="utf-8")
    if no_schema:
        text = "\n".join(line for line in text.split("\n") if _SCHEMA not in line)
    written = _write(_target(ctx), text, force)
    if not no_schema:
        written += _write_schema(written[0].parent)
    if as_json:
        output.emit_json({"template": template, "written": [str(p) for p in written]})
        return
    for path in written:
        output.echo(str(path))
    output.note("next: `mdtmux config validate`, then `mdtmux up`")


def _list(known: dict[str, str], as_json: bool) -> None:
    if as_json:
        output.emit_json([{"name": n, "about": about} for n, about in known.items()])
    else:
        output.echo(output.table(("TEMPLATE", "ABOUT"), list(known.items())))


def _target(ctx: click.Context) -> Path:
    named = (ctx.find_root().obj or {}).get("file")
    return Path(named) if named else Path(FILE_NAMES[0])


def _write(target: Path, text: str, force: bool) -> list[Path]:
    """Write the file and return it; an older one is moved aside when forced."""
    names = FILE_NAMES if target.name in FILE_NAMES else (target.name,)
    present = [p for p in (target.with_name(name) for name in names) if _exists(p)]
    if present and not force:
        message = f"`{present[0]}` exists already"
        raise Refused(message, hint="--force writes anew and keeps the old one as .bak")
    try:
        for path in present:
            path.rename(_free(path))
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        message = f"cannot write `{target}`: {(error.strerror or str(error)).lower()}"
        raise MdtmuxError(message) from error
    return [target]


def _write_schema(folder: Path) -> list[Path]:
    """Write the schema beside the office file unless that very schema is there."""
    import json

    from mdtmux.office.jsonschema import schema

    path = folder / _SCHEMA
    text = json.dumps(schema(), indent=2) + "\n"
    try:
        if _exists(path) and path.read_text(encoding="utf-8") == text:
            return []
        path.write_text(text, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"cannot write `{path}`: {str(error).lower()}"
        raise MdtmuxError(message) from error
    return [path]


def _exists(path: Path) -> bool:
    # A link to nowhere is there too: opening it for writing would make its target.
    return os.path.lexists(path)


def _free(path: Path) -> Path:
    """Return the first free name for what is moved aside."""
    number = 1
    while True:
        aside = path.with_name(f"{path.name}.bak{'' if number == 1 else number}")
        if not _exists(aside):
            return aside
        number += 1
