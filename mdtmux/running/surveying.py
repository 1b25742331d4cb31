"""Find out what an office file means here and now, before anything is done."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mdtmux.errors import Refused, TmuxError, UsageError
from mdtmux.names import nearest
from mdtmux.office.model import Office
from mdtmux.running.neighbours import strangers
from mdtmux.running.observe import Standing, observe_panes, panes_of
from mdtmux.running.offices import OfficeRef, make_ref, read_ref
from mdtmux.running.plan import Act, PlanRow, decide
from mdtmux.running.trees import TreePlan, plan_trees
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Socket, Tmux
from mdtmux.worktrees.plan import Action
from mdtmux.worktrees.repository import NoRepository, Repository, inspect
from mdtmux.worktrees.work import stops


@dataclass(frozen=True, slots=True)
class UpPlan:
    """Everything `up` has found out before it acts."""

    office: Office
    ref: OfficeRef
    repository: Repository
    rows: tuple[PlanRow, ...]
    standings: Mapping[str, Standing]
    trees: TreePlan


def survey(office: Office, only: Sequence[str]) -> UpPlan:
    """Find out what is and what `up` would do; changes nothing.

    Raises:
        MdtmuxError: the repository, a base, a branch or a path is not usable; one
            error tells of all agents.
    """
    check_named(office, only)
    repository = repository_of(office)
    ref = make_ref(office, repository.top, repository.common_dir)
    ref, panes = _session(ref, Socket(office.tmux.socket))
    _check_file(ref, panes)
    standings = observe_panes(ref.state, panes_of(ref, panes), ref.agents)
    rows = decide(office, standings, only)
    starting = {row.name for row in rows if row.act is Act.START}
    trees = plan_trees(office, ref, repository, starting)
    _check_neighbours(ref, trees)
    return UpPlan(office, ref, repository, rows, standings, trees)


def check_named(office: Office, names: Sequence[str]) -> None:
    """Check that the office has agents of these names.

    Raises:
        UsageError: it has not; suggests the nearest.
    """
    for name in names:
        if office.agent(name) is None:
            names = [agent.name for agent in office.agents]
            near = nearest(name, names)
            hint = f"did you mean `{near}`?" if near else "agents: " + ", ".join(names)
            message = f"the office file has no agent `{name}`"
            raise UsageError(message, hint=hint)


def repository_of(office: Office) -> Repository:
    """Return the repository that the office file names.

    Raises:
        UsageError: it names none.
        MdtmuxError: git cannot read it.
    """
    try:
        return inspect(office.repo)
    except NoRepository as error:
        message = f"repo: {error.message}"
        raise UsageError(message, hint=error.hint) from error


def office_ref(office: Office) -> OfficeRef:
    """Return the office's reference, asking git only where its repository is."""
    repository = repository_of(office)
    return make_ref(office, repository.top, repository.common_dir)


def _check_file(ref: OfficeRef, panes: Sequence[Pane]) -> None:
    """Check that no other file's office of this name runs on the repository.

    Raises:
        Refused: one does; two files would take it for theirs in turn.
    """
    known = read_ref(ref.state)
    runs = any(pane.office == ref.id and not pane.dead for pane in panes)
    if known is not None and known.file != ref.file and runs:
        message = f"office `{ref.name}` runs on this repository, from `{known.file}`"
        hint = f"`mdtmux -o {ref.name} down` ends it, or give this one another `name:`"
        raise Refused(message, hint=hint)


def _check_neighbours(ref: OfficeRef, trees: TreePlan) -> None:
    """Check that no agent of another office works in a worktree that stands already.

    Raises:
        Refused: one does; names all of them.
    """
    standing = {one.path: one for one in trees.steps if one.action is Action.ADOPT}
    found = strangers(ref, standing) if standing else []
    if found:
        told = [
            f"agent `{standing[path].agent}`: `{path}` has agent `{name}` at work in it"
            for name, path in found
        ]
        hint = f"set another `branch:` or `worktrees:`, or run {stops([found[0][0]])}"
        raise Refused("\n  ".join(told), hint=hint)


def _session(ref: OfficeRef, asked: Socket) -> tuple[OfficeRef, list[Pane]]:
    """Choose the office's server and session; return all panes of the server too.

    Where the office runs it stays, even if the file names another server by now.
    The session has the office's name, unless somebody else has it.
    """
    panes = Tmux(ref.socket).panes()
    mine = [pane for pane in panes if pane.office == ref.id]
    if mine:
        return dataclasses.replace(ref, session=mine[0].session), panes
    if ref.socket != asked:
        ref = dataclasses.replace(ref, socket=asked)
        panes = Tmux(asked).panes()
    taken = {pane.session for pane in panes}
    for name in (ref.name, ref.id):
        if name not in taken:
            return dataclasses.replace(ref, session=name), panes
    message = (
        f"tmux has sessions `{ref.name}` and `{ref.id}` that are not this office's"
    )
    raise TmuxError(message, hint="rename one of them, or give the office another name")
