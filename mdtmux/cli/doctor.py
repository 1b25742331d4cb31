"""`mdtmux doctor`: what is missing, and the command that brings it."""

from __future__ import annotations

import sys

import click


@click.command("doctor")
@click.option(
    "--fix",
    is_flag=True,
    help="Install required programs that are missing, as root or with Homebrew.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def command(fix: bool, as_json: bool) -> None:
    """Check what an office needs of this machine.

    Names what is missing with the command that installs it here. Exits with 1 when
    something is missing without which no office comes up.
    """
    import dataclasses

    from mdtmux.cli import checks, output

    found = checks.examine()
    if fix:
        packages = [check.package for check in found if check.package]
        if packages:
            output.note(f"installing: {' '.join(packages)}")
            checks.install(packages)
            found = checks.examine()
    if as_json:
        output.emit_json([dataclasses.asdict(check) for check in found])
    else:
        rows = [(str(check.verdict), check.name, check.found) for check in found]
        output.echo(output.table(("", "what", "found"), rows))
        for check in found:
            if check.fix:
                output.echo(f"{check.name}: {check.fix}")
    missing = [check for check in found if check.verdict is checks.Verdict.MISSING]
    if missing:
        output.error(f"missing: {', '.join(check.name for check in missing)}")
    sys.exit(1 if missing else 0)
