"""`mdtmux diff`: the work of an agent against where it left its base."""

from __future__ import annotations

import click

from mdtmux.cli.completing import complete_agent


@click.command("diff")
@click.argument("agent", shell_complete=complete_agent)
@click.option("--stat", is_flag=True, help="Only count the changed lines per file.")
@click.option("--name-only", is_flag=True, help="Only name the changed files.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print commits and files as JSON."
)
@click.pass_context
def command(
    ctx: click.Context, agent: str, stat: bool, name_only: bool, as_json: bool
) -> None:
    """Show what an agent did: its commits, its changes and its new files.

    The comparison is with the commit where its branch left the base, so what the base
    got since does not show. The patch can be applied with `git apply`.
    """
    from mdtmux.cli import output
    from mdtmux.cli.treework import find
    from mdtmux.worktrees.work import fork_point, git_diff, read_work

    tree = find(ctx, agent)
    if as_json:
        work = read_work(tree.repository, tree.record)
        output.emit_json(work.as_json())
        return
    flags = ["--stat"] if stat else ["--name-only"] if name_only else ["--binary"]
    # Paints only for a terminal, as everything else.
    flags.append(
        "--color=always" if output.paint("x", "red") != "x" else "--color=never"
    )
    fork = fork_point(tree.repository, tree.record)
    done = git_diff(tree.repository, tree.record, fork, tuple(flags))
    text = done.out.decode("utf-8", "surrogateescape").removesuffix("\n")
    if text:
        output.echo(text)
    else:
        output.note(f"no changes on `{tree.record.branch}` since {fork[:12]}")
