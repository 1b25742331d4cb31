"""Who lives, who belongs to whom, how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
import pytest

from mdtmux.errors import MdtmuxError, TimedOut
from mdtmux.system import processes, programs
from mdtmux.system.families import families
from mdtmux.system.processes import Identity
from tests.support.wait import until


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """Return a process in a session of its own."""
    process = subprocess.Popen(["sleep", "999"], start_new_session=True)
    yield process
    process.kill()
    process.wait()


def test_an_identity_needs_the_start_time(sleeper: subprocess.Popen[bytes]) -> None:
    """The same pid with another start is another process."""
    identity = processes.identify(sleeper.pid)
    assert identity is not None
    assert processes.alive(identity)
    assert not processes.alive(Identity(sleeper.pid, identity.created - 5))


@pytest.mark.skipif(not psutil.LINUX, reason="Linux counts from the boot")
def test_a_clock_that_is_set_makes_nobody_a_stranger(
    sleeper: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time of the boot moves with the clock; who lives stays who he was."""
    identity = processes.identify(sleeper.pid)
    assert identity is not None
    # What Linux tells once the clock was set an hour ahead.
    rows = Path("/proc/stat").read_text().splitlines()
    boot = next(row for row in rows if row.startswith("btime "))
    later = f"btime {int(boot.split()[1]) + 3600}"
    (tmp_path / "stat").write_text(
        "".join(f"{later if row == boot else row}\n" for row in rows)
    )
    (tmp_path / str(sleeper.pid)).symlink_to(f"/proc/{sleeper.pid}")
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path))

    assert processes.alive(identity)


def test_the_age_of_a_process_can_be_told(sleeper: subprocess.Popen[bytes]) -> None:
    """It is in seconds, and small for one that was just started."""
    identity = processes.identify(sleeper.pid)
    assert identity is not None
    assert -0.02 <= processes.age(identity) < 60


def test_a_signal_needs_the_whole_identity(sleeper: subprocess.Popen[bytes]) -> None:
    """A recycled pid is never signalled."""
    identity = processes.identify(sleeper.pid)
    assert identity is not None
    processes.send_signal(Identity(sleeper.pid, identity.created - 5), signal.SIGKILL)
    assert sleeper.poll() is None
    processes.send_signal(identity, signal.SIGKILL)
    assert sleeper.wait(5) == -signal.SIGKILL


def test_a_zombie_is_dead() -> None:
    """A process that nobody has reaped does not count as alive."""
    process = subprocess.Popen(["sleep", "999"])
    identity = processes.identify(process.pid)
    assert identity is not None
    process.kill()
    until(
        lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE,
        what="zombie",
    )

    assert not processes.alive(identity)
    assert processes.identify(process.pid) is None
    process.wait()


def _pids(found: frozenset[Identity]) -> set[int]:
    return {one.pid for one in found}


def test_the_family_has_session_descendants_and_marked(world: Path) -> None:
    """Children in the session, in other sessions and re-parented ones all belong."""
    script = "sleep 999 & setsid sleep 998 & (setsid sleep 997 &) ; wait"
    env = {**os.environ, "FAMILY_MARK": str(world)}
    root = subprocess.Popen(["sh", "-c", script], start_new_session=True, env=env)
    stranger = subprocess.Popen(["sleep", "996"])

    def family() -> frozenset[Identity]:
        def mark(env: Mapping[str, str]) -> str | None:
            return "it" if env.get("FAMILY_MARK") == str(world) else None

        return families(processes.process_table(mark), {"it": root.pid})["it"]

    def sleeping() -> set[str]:
        return {" ".join(processes.argv_of(one.pid)) for one in family()}

    wanted = {"sleep 999", "sleep 998", "sleep 997"}
    until(lambda: wanted <= sleeping(), what="the children")
    assert stranger.pid not in _pids(family())
    assert os.getpid() not in _pids(family())
    assert processes.signal_all(family(), signal.SIGTERM, 5) == frozenset()
    stranger.kill()
    stranger.wait()
    root.wait()


def test_term_ignoring_and_stopped_processes_end(world: Path) -> None:
    """TERM, then KILL; a stopped process gets its TERM delivered."""
    ready = world / "ready"
    script = f"trap '' TERM; touch {ready}; while :; do sleep 1; done"
    stubborn = subprocess.Popen(["sh", "-c", script], start_new_session=True)
    stopped = subprocess.Popen(["sleep", "995"])
    os.kill(stopped.pid, signal.SIGSTOP)
    until(ready.exists, what="the trap")
    found = {processes.identify(stubborn.pid), processes.identify(stopped.pid)}
    known = frozenset(one for one in found if one is not None)
    rows = processes.process_table(lambda _: None)
    family = known | families(rows, {"it": stubborn.pid})["it"]

    left = processes.signal_all(family, signal.SIGTERM, 0.5)
    assert stubborn.pid in _pids(left)
    assert stopped.pid not in _pids(left)
    assert processes.signal_all(left, signal.SIGKILL, 5) == frozenset()
    assert stubborn.wait() == -signal.SIGKILL
    assert stopped.wait() == -signal.SIGTERM


def test_a_missing_program_and_a_hanging_one_are_errors() -> None:
    """Both end in one clear error, in bounded time."""
    with pytest.raises(MdtmuxError, match="`no-such-program` is not installed"):
        programs.run(["no-such-program"])
    with pytest.raises(TimedOut, match=r"within 0\.2 s"):
        programs.run(["sleep", "999"], timeout=0.2)


def test_a_logged_command_is_killed_with_its_children(world: Path) -> None:
    """A set-up command that runs too long leaves nothing."""
    log = world / "log"
    argv = ("sh", "-c", "echo begun; sleep 994 & wait")
    leash = programs.Leash(0.5, threading.Event())
    code = programs.run_logged(argv, cwd=world, env=os.environ, log=log, leash=leash)

    assert code == 124
    assert log.read_text() == "begun\n"
    until(lambda: not _running("994"), what="end of the child")


def _running(word: str) -> list[int]:
    return [p.pid for p in psutil.process_iter() if word in processes.argv_of(p.pid)]


def test_a_detached_process_has_a_session_of_its_own(world: Path) -> None:
    """It is not a child that its starter's end would take with it."""
    log = world / "log"
    code = "import os; print(os.getsid(0) == os.getpid(), os.getcwd())"
    argv = (sys.executable, "-u", "-c", code)
    identity = programs.spawn_detached(argv, env=os.environ, log=log)
    processes.wait_gone([identity], 10)

    assert until(log.read_text, what="its output") == "True /\n"
    assert log.stat().st_mode & 0o077 == 0


def test_reading_while_processes_come_and_go() -> None:
    """Listing during heavy churn raises nothing."""
    churn = "i=0; while [ $i -lt 200 ]; do true & i=$((i+1)); done; wait"
    busy = subprocess.Popen(["bash", "-c", churn])
    while busy.poll() is None:
        rows = processes.process_table(lambda env: env.get("x"))
        families(rows, {"busy": busy.pid})
    busy.wait()
