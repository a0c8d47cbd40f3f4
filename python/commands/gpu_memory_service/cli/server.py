"""``python3 -m gpu_memory_service.cli.server``: the server of all devices, with a loader beside it when asked for.

``--enable-loader`` comes last; what follows it goes to gms-loader. A loader that is done is done; one that fails ends the
server, and its exit code is ours. A server that ends by itself is a failure, whatever it says.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from types import FrameType

from gpu_memory_service._programs import become, find

ENABLE_LOADER = "--enable-loader"


def supervise(server_arguments: list[str], loader_arguments: list[str]) -> int:
    """Runs both until the server ends, the loader fails, or we are told to stop; then ends what is left."""
    stopping = False
    children: dict[int, subprocess.Popen[bytes]] = {}

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True
        for child in children.values():
            child.terminate()

    commands = [[find("gms-server"), *server_arguments], [find("gms-loader"), *loader_arguments]]
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    outcome = 0
    try:
        for command in commands:
            child = subprocess.Popen(command)
            children[child.pid] = child
            if stopping:  # it came before this one was known
                child.terminate()
        server = next(iter(children))
        while children:
            pid, status = os.wait()
            ended = children.pop(pid, None)
            if ended is None:
                continue  # somebody else's that we were left with
            ended.returncode = os.waitstatus_to_exitcode(status)
            if not stopping and (pid == server or ended.returncode != 0):
                outcome = ended.returncode if ended.returncode > 0 else 1
                stop(0, None)
    finally:
        for child in children.values():
            child.terminate()
            child.wait()
    return outcome


def main() -> None:
    arguments = sys.argv[1:]
    if ENABLE_LOADER not in arguments:
        become("gms-server", arguments)
    at = arguments.index(ENABLE_LOADER)
    if "--probe-restore-ready" in arguments[:at]:
        print(f"{ENABLE_LOADER} and --probe-restore-ready exclude each other", file=sys.stderr)
        sys.exit(2)
    sys.exit(supervise(arguments[:at], arguments[at + 1 :]))


if __name__ == "__main__":
    main()
