"""`mdtmux undo`: bring back what a removal or a discard took."""

from __future__ import annotations

from collections.abc import Sequence

import click


@click.command("undo")
@click.argument("identifier", metavar="[ID]", required=False)
@click.option("--list", "as_list", is_flag=True, help="Show what can be brought back.")
@click.option(
    "--purge", is_flag=True, help="Give up what could be brought back, or that ID."
)
@click.option("-y", "--yes", is_flag=True, help="With --purge: do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    identifier: str | None,
    as_list: bool,
    purge: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Take back the last removal or discard, or the one of that ID.

    A worktree that was removed by force comes back with everything that was in it.
    Refuses when its place or its branch is taken by now.
    """
    from mdtmux.cli import output
    from mdtmux.cli.context import current_office
    from mdtmux.cli.removing import way_back
    from mdtmux.cli.treework import Tree, living_in
    from mdtmux.running.holding import held
    from mdtmux.worktrees import undo
    from mdtmux.worktrees.repository import inspect

    if as_list:
        _list(ctx, as_json=as_json)
        return
    if purge:
        _purge(ctx, identifier, yes=yes, as_json=as_json)
        return
    ref = current_office(ctx)
    with held(ref):
        repository = inspect(ref.repo)
        done = undo.undo(
            repository,
            ref.state,
            identifier,
            lambda record: living_in(Tree(ref, repository, record)),
        )
    for note in done.notes:
        output.warn(note)
    if as_json:
        output.emit_json({**done.undo.as_json(), "restored": True})
    else:
        output.echo(f"brought back: {done.what}")
    if verb := way_back(ctx, ref, done.undo.record.agent):
        output.note(f"its agent was removed: `{verb}` brings it back")


def _purge(
    ctx: click.Context, identifier: str | None, *, yes: bool, as_json: bool
) -> None:
    from mdtmux.cli import output
    from mdtmux.cli.context import current_office
    from mdtmux.cli.treework import confirm
    from mdtmux.running.holding import held
    from mdtmux.worktrees import trash, undo
    from mdtmux.worktrees.repository import inspect

    ref = current_office(ctx)
    known = trash.records(ref.state)
    count = 0
    if known:
        what = (
            f"`{identifier}`" if identifier else _counted([one.kind for one in known])
        )
        confirm(f"give up {what} for good?", yes=yes)
        with held(ref):
            count = undo.purge(inspect(ref.repo), ref.state, identifier)
    if as_json:
        output.emit_json({"purged": count})
    else:
        output.echo(f"purged {count}")


def _counted(kinds: Sequence[str]) -> str:
    """Say how many removals and discards there are: `1 removal and 2 discards`."""
    counts = {"removal": kinds.count("removed"), "discard": kinds.count("discarded")}
    return " and ".join(
        f"{count} {word}{'s' if count > 1 else ''}"
        for word, count in counts.items()
        if count
    )


def _list(ctx: click.Context, *, as_json: bool) -> None:
    import time

    from mdtmux.cli import output
    from mdtmux.cli.context import current_office
    from mdtmux.units import format_duration
    from mdtmux.worktrees import trash
    from mdtmux.worktrees.undo import describe

    known = trash.records(current_office(ctx).state)
    if as_json:
        output.emit_json([one.as_json() for one in known])
        return
    if not known:
        output.note("there is nothing to undo")
        return
    now = time.time()
    rows = [(one.id, format_duration(now - one.time), describe(one)) for one in known]
    output.echo(output.table(("ID", "AGE", "WHAT"), rows))
