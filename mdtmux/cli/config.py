"""`mdtmux config`: check the office file, show it resolved, print its schema."""

from __future__ import annotations

import click

from mdtmux.cli import output

_FILE = click.argument("file", required=False, type=click.Path())
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("config", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Check and show the office file and its schema; starts nothing, changes nothing."""
    if ctx.invoked_subcommand is None:
        output.echo(ctx.get_help())


@command.command("validate")
@_FILE
@_JSON
@click.pass_context
def validate(ctx: click.Context, file: str | None, as_json: bool) -> None:
    """Check the office file and name every problem in it.

    Exits with 2 when there is one; each is told as FILE:LINE:COLUMN with its path.
    What this machine lacks for it is a warning: the repository, a base, a program.
    """
    import dataclasses

    from mdtmux.cli.arguments import only_file
    from mdtmux.cli.context import office_file
    from mdtmux.errors import OfficeFileError
    from mdtmux.office.file import label, load
    from mdtmux.running.checking import doubts

    path = office_file(ctx, only_file(ctx, file))
    try:
        office = load(path)
    except OfficeFileError as error:
        if not as_json:
            raise
        problems = [dataclasses.asdict(problem) for problem in error.problems]
        output.emit_json({"file": error.file, "ok": False, "problems": problems})
        ctx.exit(error.exit_code)
    if as_json:
        found = {
            "file": label(path),
            "ok": True,
            "problems": [],
            "warnings": doubts(office),
        }
        output.emit_json(found)
        return
    for doubt in doubts(office):
        output.warn(doubt)
    agents = sum(not agent.is_process for agent in office.agents)
    counts = _count(agents, "agent", "agents")
    if len(office.agents) > agents:
        counts += f", {_count(len(office.agents) - agents, 'process', 'processes')}"
    output.echo(f"{output.clean(label(path))}: ok — {counts}")


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


@command.command("show", short_help="Print the office as its file is understood.")
@_FILE
@_JSON
@click.option("--prompts", is_flag=True, help="Print the prompts, not their sizes.")
@click.pass_context
def show(ctx: click.Context, file: str | None, as_json: bool, prompts: bool) -> None:
    """Print the office as its file is understood, with the final argv of each agent.

    Defaults are filled in and paths are absolute. Of environment variables only the
    names are shown.
    """
    from mdtmux.cli.arguments import only_file
    from mdtmux.cli.context import office_file
    from mdtmux.cli.office_view import office_json, office_text
    from mdtmux.office.file import load

    office = load(office_file(ctx, only_file(ctx, file)))
    if as_json:
        output.emit_json(office_json(office, prompts=prompts))
    else:
        output.echo(office_text(office, prompts=prompts))


@command.command("schema")
def schema() -> None:
    """Print the JSON Schema of the office file, for editors.

    Save it as office.schema.json beside the office file, whose templates name it in
    a `yaml-language-server` comment.
    """
    from mdtmux.office.jsonschema import schema as office_schema

    output.emit_json(office_schema())
