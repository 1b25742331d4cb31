"""Where the program starts, as `mdtmux` and as `python -m mdtmux`."""

from __future__ import annotations

import gc
import signal


def main() -> None:
    """Run the command line; ^C ends it without a traceback while it is still loading.

    SIGINT that the caller ignores (`nohup`, a script's `&`) stays ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Until `run` can tell of an interruption, the system's own way is the best.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Loading makes many objects that stay: looking for garbage among them takes 5 %.
    gc.set_threshold(10_000)
    from mdtmux.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
