"""A server of host memory for the tests. Paths come from the build: GMS_SERVER, GMS_LIBRARY, GMS_ALLOCATOR."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from types import TracebackType


class Server:
    """gms-server in a folder of its own, with GMS_SOCKET_DIR pointing there."""

    def __init__(self) -> None:
        self._dir = tempfile.TemporaryDirectory(prefix="gms-")
        self.directory = self._dir.name
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [
                os.environ["GMS_SERVER"],
                "--device-type=host",
                "--device=0",
                "--host-memory=64Mi",
                "--host-granularity=4096",
                f"--socket-dir={self.directory}",
            ],
            stderr=subprocess.DEVNULL,
        )

    def kill(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> Server:
        os.environ["GMS_SOCKET_DIR"] = self.directory
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait()
        self._dir.cleanup()
