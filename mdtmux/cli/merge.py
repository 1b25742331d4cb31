"""`mdtmux merge`: bring an agent's commits into another branch."""

from __future__ import annotations

from functools import partial

import click

from mdtmux.cli.completing import complete_agent


@click.command("merge")
@click.argument("agent", shell_complete=complete_agent)
@click.option("--squash", is_flag=True, help="Make one commit of all.")
@click.option("--rebase", is_flag=True, help="Put the commits on top of the target.")
@click.option(
    "--into", metavar="BRANCH", help="The target; default: what the repository is on."
)
@click.option("-m", "--message", metavar="TEXT", help="The message of the commit made.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    agent: str,
    squash: bool,
    rebase: bool,
    into: str | None,
    message: str | None,
    as_json: bool,
) -> None:
    """Merge the commits of an agent into the branch that the repository is on.

    Refuses when the agent has work that is not committed, on a conflict, and when
    changes in the repository would be overwritten; then everything is as it was. The
    merge is tried in a worktree of its own first, with the repository's hooks.
    """
    from mdtmux.cli import output
    from mdtmux.cli.treework import find, living_in, others_in
    from mdtmux.errors import UsageError
    from mdtmux.worktrees.merge import Way, Wish, merge
    from mdtmux.worktrees.record import Store

    if squash and rebase:
        text = "--squash and --rebase exclude each other"
        raise UsageError(text)
    if rebase and message:
        text = "--message has no use with --rebase, which keeps the commits' own"
        raise UsageError(text)
    tree = find(ctx, agent)
    way = Way.SQUASH if squash else Way.REBASE if rebase else Way.MERGE
    # Only a rebase changes the agent's own files.
    running = living_in(tree) if rebase else []
    others = partial(others_in, tree)
    wish = Wish(tree.record, way, into, message, running, others)
    done = merge(tree.repository, wish)
    Store(tree.ref.state).set_merged(tree.record.agent, done.tip, done.into)
    if as_json:
        output.emit_json(done.as_json())
    elif done.changed:
        where = f" in {done.checkout}" if done.checkout else ""
        output.echo(f"merged {done.branch} into {done.into}{where}: {done.sha}")
    else:
        output.echo(f"nothing to merge: {done.into} has all of {done.branch}")
