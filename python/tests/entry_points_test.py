"""The commands of existing deployments start the programs. GMS_PROGRAM_DIR comes from the build."""

from __future__ import annotations

import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

MEMORY = ["--device-type=host", "--host-memory=64Mi"]
HOST = [*MEMORY, "--device=0"]
PATIENCE = 60


class EntryPoints(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="gms-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.environment = {**os.environ, "GMS_SOCKET_DIR": directory.name}

    def start(self, command: list[str]) -> subprocess.Popen[str]:
        child = subprocess.Popen(command, env=self.environment, stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        assert child.stderr is not None
        self.addCleanup(child.stderr.close)
        return child

    def await_server(self, child: subprocess.Popen[str], name: str = "gms_0_weights.sock") -> None:
        """Until somebody listens; fails when the child ends before."""
        path = str(self.directory / name)
        while child.poll() is None:
            try:
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.connect(path)
                return
            except OSError:
                pass
        self.fail(f"the server ended with {child.returncode}: {child.stderr.read() if child.stderr else ''}")

    def end(self, child: subprocess.Popen[str]) -> int:
        child.send_signal(signal.SIGTERM)
        return child.wait(PATIENCE)

    def module(self, name: str, *arguments: str) -> list[str]:
        return [sys.executable, "-m", name, *arguments]

    def test_servers_by_all_their_names(self) -> None:
        program = str(pathlib.Path(os.environ["GMS_PROGRAM_DIR"]) / "gpu-memory-service")
        for command in (
            self.module("gpu_memory_service.cli.server", *HOST),
            self.module("gpu_memory_service", *HOST),
            [program, *HOST],
        ):
            with self.subTest(command=command):
                child = self.start(command)
                self.await_server(child)
                self.assertEqual(self.end(child), 0)

    def test_one_server_for_each_device_or_for_each_tag(self) -> None:
        for kind, choices, names in (
            ("device", ("0", "1"), ("gms_0_weights.sock", "gms_1_weights.sock")),
            ("tag", ("weights", "kv_cache"), ("gms_0_weights.sock", "gms_0_kv_cache.sock")),
        ):
            with self.subTest(kind=kind):
                first, second = (
                    self.start(self.module("gpu_memory_service", *MEMORY, f"--{kind}={choice}")) for choice in choices
                )
                self.await_server(first, names[0])
                self.await_server(second, names[1])
                self.assertEqual((self.end(first), self.end(second)), (0, 0))
                self.assertEqual(list(self.directory.iterdir()), [])

    def test_saver_and_loader_answer(self) -> None:
        for name in ("saver", "loader"):
            command = self.module(f"gpu_memory_service.cli.snapshot.{name}", "--help")
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
            self.assertIn(f"Usage: gms-{name}", done.stdout)

    def test_a_loader_that_fails_ends_the_server_with_its_code(self) -> None:
        missing = str(self.directory / "missing")
        command = self.module(
            "gpu_memory_service.cli.server", *HOST, "--enable-loader", "--device-type=host", "--device=0",
            f"--checkpoint-dir={missing}", "--progress=none",
        )  # fmt: skip
        child = self.start(command)
        self.assertEqual(child.wait(PATIENCE), 1)
        with self.assertRaises(OSError), socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(self.directory / "gms_0_weights.sock"))

    # B01, B02: the one's code is ours, a server that only ends is a failure, and the other is ended, too.
    def test_a_program_that_ends_takes_the_other_with_it(self) -> None:
        self.environment["GMS_PROGRAM_DIR"] = str(self.directory)
        for ends, code, outcome in (("gms-loader", 17, 17), ("gms-server", 17, 17), ("gms-server", 0, 1)):
            with self.subTest(ends=ends, code=code):
                for name in ("gms-server", "gms-loader"):
                    program = self.directory / name
                    program.write_text("#!/bin/sh\n" + (f"exit {code}\n" if name == ends else "exec sleep 1000\n"))
                    program.chmod(0o755)
                child = self.start(self.module("gpu_memory_service.cli.server", "--enable-loader"))
                self.assertEqual(child.wait(PATIENCE), outcome)

    def test_children_of_others_do_not_end_the_server(self) -> None:
        command = self.module("gpu_memory_service.cli.server", *HOST, "--enable-loader", "--help")
        child = self.start(["sh", "-c", 'true & exec "$@"', "sh", *command])
        self.await_server(child)
        self.assertEqual(self.end(child), 0)

    def test_a_loader_stays_unless_its_callers_wait_for_its_end(self) -> None:
        program = self.directory / "gms-loader"
        program.write_text('#!/bin/sh\necho "$@"\n')
        program.chmod(0o755)
        self.environment["GMS_PROGRAM_DIR"] = str(self.directory)
        for arguments, heard in ((["--device=0"], "--device=0 --linger"), (["--use-v1"], "--use-v1")):
            command = self.module("gpu_memory_service.cli.snapshot.loader", *arguments)
            done = subprocess.run(
                command, env=self.environment, capture_output=True, text=True, timeout=PATIENCE, check=True
            )
            self.assertEqual(done.stdout.strip(), heard)

    def test_a_missing_loader_is_told_before_a_server_is_started(self) -> None:
        program = self.directory / "gms-server"
        program.write_text("#!/bin/sh\ntouch started\n")
        program.chmod(0o755)
        self.environment["GMS_PROGRAM_DIR"] = str(self.directory)
        self.environment["PATH"] = str(self.directory)
        child = self.start(self.module("gpu_memory_service.cli.server", "--enable-loader"))
        self.assertEqual(child.wait(PATIENCE), 1)
        assert child.stderr is not None
        self.assertIn("gms-loader was not found", child.stderr.read())
        self.assertFalse(pathlib.Path("started").exists())

    def test_a_program_that_is_not_there_is_named(self) -> None:
        self.environment["GMS_PROGRAM_DIR"] = str(self.directory)
        child = self.start(self.module("gpu_memory_service.cli.server"))
        self.assertEqual(child.wait(PATIENCE), 1)
        assert child.stderr is not None
        self.assertIn("gms-server was not found", child.stderr.read())


if __name__ == "__main__":
    unittest.main()
