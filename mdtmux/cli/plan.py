"""`mdtmux plan`: what `up` would do, and where the office differs from its file."""

from __future__ import annotations

import click


@click.command("plan")
@click.argument("file", required=False, type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON.")
@click.pass_context
def command(ctx: click.Context, file: str | None, as_json: bool) -> None:
    """Show what `up` would do, and the drift between file and office.

    Changes nothing. A plan that cannot be carried out (a branch in use elsewhere, a
    missing base) is an error that names every agent it concerns.
    """
    from mdtmux.cli.arguments import only_file
    from mdtmux.cli.loading import load_office
    from mdtmux.running.surveying import survey

    show_plan(survey(load_office(ctx, only_file(ctx, file)), ()), as_json=as_json)


def show_plan(plan: object, *, as_json: bool) -> None:
    """Print a plan."""
    from mdtmux.cli import output
    from mdtmux.running.checking import base_doubts
    from mdtmux.running.surveying import UpPlan

    assert isinstance(plan, UpPlan)
    rows = []
    for row in plan.rows:
        tree = plan.trees.words.get(row.name, "")
        notes = [row.why]
        if row.owes_prompt:
            notes.append("its first prompt is to be typed")
        if row.drift:
            notes.append("differs: " + ", ".join(row.drift))
        rows.append((row.name, str(row.act), tree, "; ".join(notes)))
    if as_json:
        keys = ("agent", "act", "worktree", "why")
        output.emit_json(
            {
                "office": plan.ref.name,
                "agents": [
                    dict(zip(keys, row, strict=True)) | {"drift": list(one.drift)}
                    for row, one in zip(rows, plan.rows, strict=True)
                ],
                "bases": list(plan.trees.bases),
            }
        )
        return
    output.echo(output.table(("AGENT", "ACT", "WORKTREE", "WHY"), rows))
    for base in plan.trees.bases:
        output.note(base)
    for doubt in base_doubts(plan):
        output.warn(doubt)
