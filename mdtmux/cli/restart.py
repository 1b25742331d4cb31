"""`mdtmux restart`: stop and start agents with a fresh environment."""

from __future__ import annotations

import click

from mdtmux.cli.amounts import duration
from mdtmux.cli.completing import complete_agent


@click.command("restart")
@click.argument("agents", nargs=-1, required=True, shell_complete=complete_agent)
@click.option(
    "--timeout",
    callback=duration,
    metavar="S",
    help="Seconds for the agent to get ready.",
)
@click.option(
    "--prompt/--no-prompt", default=True, help="Type the first prompt again or not."
)
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    agents: tuple[str, ...],
    timeout: float | None,
    prompt: bool,
    as_json: bool,
) -> None:
    """Stop agents with everything they started, and start them as the file says now.

    A new process knows nothing of the old one's prompts: it gets its first prompt
    again, unless --no-prompt is given.
    """
    from mdtmux.cli import output
    from mdtmux.cli.aside import step_aside
    from mdtmux.cli.beginning import begin
    from mdtmux.cli.context import check_agent, current_office
    from mdtmux.cli.loading import load_office
    from mdtmux.cli.outcome import ending, tell_texts
    from mdtmux.errors import MdtmuxError
    from mdtmux.running.jobs import check_programs
    from mdtmux.running.life import stop
    from mdtmux.running.surveying import check_named
    from mdtmux.running.trees import check_trees

    ref = current_office(ctx)
    for name in agents:
        check_agent(ref, name)
    # Whoever could not be started again is not stopped.
    office = load_office(ctx, str(ref.file), ref.as_kind)
    check_named(office, agents)
    check_programs(ref, office, agents)
    check_trees(office, ref, agents)
    step_aside(ctx, ref, agents)
    with output.patience(ending(agents)):
        halt = stop(ref, agents, None)
    tell_texts(halt.texts)
    if halt.survivors:
        pids = ", ".join(str(one.pid) for one in halt.survivors)
        message = f"not started again: processes {pids} would not end"
        raise MdtmuxError(message)
    begin(ctx, agents, timeout=timeout, prompts=prompt, as_json=as_json)
