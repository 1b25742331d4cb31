"""`mdtmux init`: write an office file to start from, out of the templates."""

from __future__ import annotations

import os
import shlex
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
    target = _target(ctx)
    present = _present(target, force)
    # Whatever is refused is refused before anything is written.
    schema = None if no_schema else _schema(target.parent)
    written = _write(target, text, present)
    if schema is not None:
        written.append(_write_schema(target.parent, schema))
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
    if named and (named.endswith("/") or Path(named).is_dir()):
        message = f"`{named}` is a folder, not an office file"
        better = shlex.quote(str(Path(named) / FILE_NAMES[0]))
        raise UsageError(message, hint=f"name the file: `mdtmux -f {better} init`")
    return Path(named) if named else Path(FILE_NAMES[0])


def _present(target: Path, force: bool) -> list[Path]:
    """Return the office files that are there already and may be moved aside.

    Raises:
        Refused: there is one and `force` is not given.
        UsageError: what is there is no file: a folder, a device.
    """
    names = FILE_NAMES if target.name in FILE_NAMES else (target.name,)
    present = [p for p in (target.with_name(name) for name in names) if _exists(p)]
    for path in present:
        if path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "no ordinary file"
            message = f"`{path}` is {what}"
            raise UsageError(message, hint="move it away, or name a file with -f FILE")
    if present and not force:
        message = f"`{present[0]}` exists already"
        raise Refused(message, hint="--force writes anew and keeps the old one as .bak")
    return present


def _write(target: Path, text: str, present: list[Path]) -> list[Path]:
    """Write the file and return it; those that are there already are moved aside."""
    try:
        for path in present:
            path.rename(_free(path))
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        message = f"cannot write `{target}`: {(error.strerror or str(error)).lower()}"
        raise MdtmuxError(message) from error
    return [target]


def _schema(folder: Path) -> str | None:
    """Return the schema to be written beside the office file, None if it is there.

    Raises:
        Refused: there is something else of that name, which is not ours to replace.
    """
    import json

    from mdtmux.office.jsonschema import schema
    from mdtmux.system.files import read_json

    path, wanted = folder / _SCHEMA, schema()
    if _exists(path):
        there = read_json(path) if path.is_file() else None
        if there == wanted:
            return None
        ours = isinstance(there, dict) and there.get("title") == wanted["title"]
        if path.is_symlink() or not ours:
            message = f"`{path}` is there already and was not written by mdtmux"
            hint = "move it away, or leave it: --no-schema writes the office file alone"
            raise Refused(message, hint=hint)
    return json.dumps(wanted, indent=2) + "\n"


def _write_schema(folder: Path, text: str) -> Path:
    path = folder / _SCHEMA
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"cannot write `{path}`: {(error.strerror or str(error)).lower()}"
        raise MdtmuxError(message) from error
    return path


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
