"""`mdtmux discard`: throw an agent's work away; `undo` brings it back."""

from __future__ import annotations

import click

from mdtmux.cli.completing import complete_agent


@click.command("discard")
@click.argument("agent", shell_complete=complete_agent)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.pass_context
def command(ctx: click.Context, agent: str, yes: bool, as_json: bool) -> None:
    """Throw the work of a stopped agent away: commits, changes and new files.

    Branch and worktree go back to where they left the base. Ignored files stay, and
    so does what was merged already. `mdtmux undo` brings everything back. Refused when
    a process is at work in the worktree, or something in it changes meanwhile.
    """
    from mdtmux.cli import output
    from mdtmux.cli.treework import confirm, find, living_in
    from mdtmux.running.holding import held
    from mdtmux.worktrees.discard import discard, preview

    tree = find(ctx, agent)
    plan = preview(tree.repository, tree.record, running=living_in(tree))
    if plan.undo is not None:
        confirm(f"discard {plan.told()} of agent `{agent}`?", yes=yes)
    # Asked again with the office held: much can happen while somebody thinks.
    with held(tree.ref):
        running = living_in(tree)
        done = discard(tree.repository, tree.record, tree.ref.state, running=running)
    for name in done.left:
        output.warn(f"`{name}` is a repository of its own and was left")
    if as_json:
        output.emit_json(done.as_json())
    elif done.undo is None:
        output.echo(
            f"nothing to discard: {agent} is at {done.after[:12]} without changes"
        )
    else:
        output.echo(
            f"discarded {done.told()} of {agent}; bring back: mdtmux undo {done.undo}"
        )
