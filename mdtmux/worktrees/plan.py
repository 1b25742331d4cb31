"""Decide for every agent what becomes of its worktree; takes facts, touches nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mdtmux.errors import Refused
from mdtmux.office.branches import Claims, branch_fault
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import Worktree


class Action(StrEnum):
    """What is to be done for one agent."""

    CREATE = "create"
    USE_BRANCH = "create_from_existing_branch"
    ADOPT = "adopt"
    REPAIR = "repair"
    REFUSE = "refuse"


class Place(StrEnum):
    """What stands where a worktree shall be."""

    FREE = "free"
    EMPTY = "an empty folder"
    FULL = "a folder that is not empty"
    FILE = "a file"
    LINK = "a symbolic link"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Want:
    """One agent's wish; `known` is what an earlier `up` noted of it, if anything."""

    agent: str
    path: Path
    branch: str
    base_sha: str
    known: Record | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """What was read of the repository and the path, for one want.

    `row` is the registration at the path, `row_branch` its branch (also while it
    rebases), `row_alive` whether the folder there is that worktree. `inside` is the
    checkout or git folder that the path would lie in. `holder` is another checkout
    that has the branch, `owner` the agent it was made for. `clash` is a branch that
    cannot exist beside the wanted one; `remote` one of that name at a remote.
    """

    place: Place = Place.FREE
    row: Worktree | None = None
    row_branch: str | None = None
    row_alive: bool = False
    inside: Path | None = None
    branch_sha: str | None = None
    holder: Worktree | None = None
    holder_alive: bool = False
    owner: str | None = None
    clash: str | None = None
    remote: str | None = None
    blocked: str = ""
    only_git_has: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """The decision for one agent.

    `sha` is where the branch stands or will stand; `stale` is a registration whose
    folder is gone and that goes first. A refusal has `reason` and maybe `hint`;
    `note` is for people.
    """

    agent: str
    action: Action
    path: Path
    branch: str
    sha: str
    stale: Path | None = None
    note: str = ""
    reason: str = ""
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a want cannot be met, and the way out."""

    reason: str
    hint: str | None = None


def decide(
    wants: Sequence[Want], situations: Mapping[str, Situation]
) -> tuple[Step, ...]:
    """Return one step per want; `situations` is by agent."""
    among = _among(wants)
    return tuple(
        _step(want, situations[want.agent], among.get(want.agent)) for want in wants
    )


def refusal(steps: Sequence[Step]) -> Refused | None:
    """Return one error that tells every refusal, or None when there is none."""
    refused = [step for step in steps if step.action is Action.REFUSE]
    if not refused:
        return None
    if len(refused) == 1:
        only = refused[0]
        return Refused(f"agent `{only.agent}`: {only.reason}", hint=only.hint)
    lines = [
        f"agent `{step.agent}`: {step.reason}"
        + (f" ({step.hint})" if step.hint else "")
        for step in refused
    ]
    return Refused("worktrees cannot be made:\n  " + "\n  ".join(lines))


def _step(want: Want, now: Situation, among: Fault | None) -> Step:
    fault = (
        _own_fault(want)
        or among
        or _place_fault(want, now)
        or _branch_fault(want, now)
        or _gone_fault(want, now)
    )
    if fault is not None:
        return Step(
            want.agent,
            Action.REFUSE,
            want.path,
            want.branch,
            want.base_sha,
            reason=fault.reason,
            hint=fault.hint,
        )
    if now.row is not None and now.row_alive:
        return Step(
            want.agent,
            Action.ADOPT,
            now.row.path,
            want.branch,
            now.branch_sha or want.base_sha,
            note="" if want.known else "this worktree stood here already and is used",
        )
    stale = now.row or now.holder
    return Step(
        want.agent,
        _making(now, stale),
        want.path,
        want.branch,
        now.branch_sha or want.base_sha,
        stale=stale.path if stale else None,
        note=_note(want, now, stale),
    )


def _making(now: Situation, stale: Worktree | None) -> Action:
    if stale is not None:
        return Action.REPAIR
    return Action.USE_BRANCH if now.branch_sha else Action.CREATE


def _note(want: Want, now: Situation, stale: Worktree | None) -> str:
    if stale is not None:
        return f"the folder `{stale.path}` was gone: the worktree is made anew"
    if now.branch_sha is None:
        told = f"`{now.remote}` exists too; the new branch does not follow it"
        return told if now.remote else ""
    if now.branch_sha == want.base_sha:
        return f"branch `{want.branch}` existed and is used"
    return (
        f"branch `{want.branch}` existed and is used as it is, at {now.branch_sha[:8]}"
    )


def _own_fault(want: Want) -> Fault | None:
    fault = branch_fault(want.branch)
    if fault is not None:
        return Fault(f"branch `{want.branch}`: {fault}", "`branch:` sets another one")
    if any(c in str(want.path) for c in "\n\r\0"):
        return Fault(f"the path {str(want.path)!r} holds a line break")
    return None


def _among(wants: Sequence[Want]) -> dict[str, Fault]:
    """Return what the wants have against each other, by agent."""
    faults: dict[str, Fault] = {}
    claims = Claims()
    by_branch: dict[str, str] = {}
    for want in wants:
        other = claims.claim(want.branch)
        by_branch.setdefault(want.branch, want.agent)
        if other is not None:
            who = f"agent `{by_branch[other]}` has branch `{other}`"
            hint = "every agent needs a branch of its own: set `branch:`"
            faults[want.agent] = Fault(
                f"branch `{want.branch}` cannot be had: {who}", hint
            )
    by_path: dict[Path, str] = {}
    above: dict[Path, str] = {}
    for want in wants:
        told = _overlap(want.path, by_path, above)
        if told is not None:
            faults.setdefault(want.agent, told)
        by_path.setdefault(want.path, want.agent)
        for folder in want.path.parents:
            above.setdefault(folder, want.agent)
    return faults


def _overlap(
    path: Path, by_path: Mapping[Path, str], above: Mapping[Path, str]
) -> Fault | None:
    if path in by_path:
        told = f"agent `{by_path[path]}` has the same worktree path `{path}`"
        return Fault(told, "`worktrees:` in the office file must hold {agent}")
    other = above.get(path) or next(
        (by_path[folder] for folder in path.parents if folder in by_path), None
    )
    if other is None:
        return None
    return Fault(f"its worktree `{path}` and that of agent `{other}` overlap")


def _place_fault(want: Want, now: Situation) -> Fault | None:
    path = want.path
    if now.inside is not None:
        told = f"`{path}` would lie inside the checkout `{now.inside}`"
        hint = "let `worktrees:` point outside, or have that folder ignored by git"
        return Fault(told, hint)
    if now.place is Place.BLOCKED:
        return Fault(f"`{path}` cannot be made: {now.blocked}")
    if now.row is not None:
        return _row_fault(want, now, now.row)
    if now.place in (Place.FULL, Place.FILE, Place.LINK):
        told = f"`{path}` is {now.place.value} and no worktree of this repository"
        return Fault(told, "move it away, or change `worktrees:`")
    return None


def _row_fault(want: Want, now: Situation, row: Worktree) -> Fault | None:
    path = want.path
    on = f"branch `{now.row_branch}`" if now.row_branch else "no branch (detached HEAD)"
    if now.row_alive:
        if now.row_branch == want.branch:
            return None
        told = f"the worktree `{path}` is on {on}, not on branch `{want.branch}`"
        return Fault(
            told, f"run `git -C '{path}' switch {want.branch}`, or set `branch:`"
        )
    if now.place not in (Place.FREE, Place.EMPTY):
        told = (
            f"`{path}` is {now.place.value}, and not the worktree that git knows there"
        )
        return Fault(told, "move it away; `git worktree list` shows what git knows")
    if row.locked is not None:
        told = f"the worktree `{path}` is locked, and its folder is gone"
        return Fault(
            told, f"run `git worktree unlock '{path}'` when it will not come back"
        )
    ours = want.known is not None and want.known.path == row.path
    if now.row_branch == want.branch or (
        ours and want.known is not None and now.row_branch == want.known.branch
    ):
        return None
    told = f"git knows a worktree at `{path}` on {on}, whose folder is gone"
    return Fault(told, "`git worktree prune` makes git forget it")


def _branch_fault(want: Want, now: Situation) -> Fault | None:
    if now.row is not None and now.row_alive:
        return None
    if now.holder is not None:
        fault = _holder_fault(want, now, now.holder)
        if fault is not None:
            return fault
    if now.clash is not None and now.branch_sha is None:
        told = f"branch `{want.branch}` cannot be made beside the branch `{now.clash}`"
        hint = f"set `branch:`, or rename the other: git branch -m {now.clash} NEW"
        return Fault(told, hint)
    return None


def _gone_fault(want: Want, now: Situation) -> Fault | None:
    """Refuse to make a worktree anew when the old one would take something along."""
    stale = now.row or now.holder
    if stale is None or not now.only_git_has:
        return None
    told = (
        f"the folder `{stale.path}` is gone, and git still has {now.only_git_has} of it"
    )
    hint = f"bring the folder back, or run `mdtmux rm {want.agent} --force`, then `up`"
    return Fault(told, f"{hint}; `undo` takes that back")


def _holder_fault(want: Want, now: Situation, holder: Worktree) -> Fault | None:
    ours = want.known is not None and want.known.path == holder.path
    if not now.holder_alive and holder.locked is None:
        if ours:
            return None
        told = (
            f"branch `{want.branch}` belongs to a worktree `{holder.path}` that is gone"
        )
        return Fault(told, "`git worktree prune` makes git forget it")
    who = f" (agent `{now.owner}`)" if now.owner else ""
    told = f"branch `{want.branch}` is checked out at `{holder.path}`{who}"
    if ours:
        hint = f"move it: git worktree move '{holder.path}' '{want.path}'"
    else:
        hint = "set another `branch:`, or let that checkout leave the branch"
    return Fault(told, hint)
