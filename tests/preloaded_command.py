"""A command that runs a module in a fork of the process of `preloaded`: SOCKET, "safe" or "folder", MODULE, arguments.

It imports as little as can be: most of its time is starting Python.
"""

import json
import os
import signal
import socket
import sys


def call(name: str, safe_path: str, module: str, *arguments: str) -> int:
    """Runs a module with this process's folder, environment, group and standard streams; its exit status, or -N if
    signal N ended it. SIGINT and SIGTERM are passed on to it."""
    forwarded = (signal.SIGINT, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_BLOCK, forwarded)
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(f"\0{name}")
    socket.send_fds(connection, [b"\n"], [0, 1, 2])
    request = [module, arguments, os.getcwd(), dict(os.environ), os.getpgrp(), safe_path == "safe"]  # noqa: PTH109
    connection.sendall(json.dumps(request).encode() + b"\n")
    answer = connection.makefile("r")
    pid = int(answer.readline())

    def forward(number: int, frame: object) -> None:
        try:  # noqa: SIM105
            os.kill(pid, number)
        except ProcessLookupError:
            pass

    for number in forwarded:
        signal.signal(number, forward)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, forwarded)
    return int(answer.readline())


if __name__ == "__main__":
    status = call(*sys.argv[1:])
    if status < 0:
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)
