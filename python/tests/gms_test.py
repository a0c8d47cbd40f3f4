"""The Python package against a server of its own."""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
import subprocess
import sys
import unittest

import gms
from gms import _native
from rig import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]


def shared_mappings() -> int:
    return pathlib.Path("/proc/self/maps").read_text().count("/memfd:")


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


class FiveLines(unittest.TestCase):
    def test_run_as_they_are_printed(self) -> None:
        with Server():
            script = pathlib.Path(__file__).with_name("five_lines.py")
            done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "hello\n"), done.stderr)

    def test_are_those_of_the_package(self) -> None:
        script = pathlib.Path(__file__).with_name("five_lines.py").read_text()
        for line in script.splitlines():
            self.assertIn(line.replace(".decode()", ""), gms.__doc__ or "")


class Memory(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.server.__enter__()
        self.addCleanup(self.server.__exit__, None, None, None)

    def publish(self, **texts: bytes) -> gms.Memory:
        memory = gms.connect("weights", "rw")
        self.addCleanup(memory.close)
        for key, text in texts.items():
            memory.put(key, memory.allocate(len(text)).write(text), key.encode())
        memory.commit()
        return memory

    def test_layout_has_names_values_and_bytes(self) -> None:
        self.publish(a=b"one", b=b"twofold")
        with gms.connect() as reader:
            self.assertEqual(reader.grant, "ro")
            layout = reader.open_layout()
            self.assertEqual(list(layout), ["a", "b"])
            self.assertEqual(layout["b"].value, b"b")
            self.assertEqual(layout["b"].read(7), b"twofold")
            self.assertEqual(len(layout.hash), 64)
            self.assertGreater(layout.generation, 0)
            self.assertEqual(reader.total_bytes, 8192)
            self.assertEqual(reader.get("a").read(3), b"one")

    def test_view_is_the_memory_itself(self) -> None:
        with gms.connect("weights", "rw") as memory:
            block = memory.allocate(10)
            block.view[3:6] = b"abc"
            self.assertEqual(block.read(), b"\0\0\0abc\0\0\0\0")
            memory.put("x", block)
            memory.commit()
            self.assertTrue(block.view.readonly)

    def test_sleep_and_wake_keep_addresses(self) -> None:
        memory = self.publish(a=b"one")
        block = memory.get("a").block
        memory.sleep()
        self.assertIsNone(memory.grant)
        self.assertFalse(memory.find(block.address).is_mapped)
        memory.wake()
        self.assertEqual(block.read(3), b"one")

    def test_changed_layout_is_a_conflict(self) -> None:
        memory = self.publish(a=b"one")
        memory.sleep()
        self.publish(a=b"one", b=b"two").close()
        with self.assertRaises(gms.Conflict):
            memory.wake()

    def test_failures_are_what_python_knows(self) -> None:
        with gms.connect("weights", "rw"):  # the server is there, and nothing is published
            with self.assertRaises(TimeoutError):
                gms.connect("weights", "ro", timeout=0.01)
        with self.assertRaises(ValueError):
            gms.connect("weights", "nonsense")  # type: ignore[arg-type]
        with gms.connect("weights", "rw") as memory:
            with self.assertRaises(gms.NotFound):
                memory.map("no such")
            with self.assertRaises(IndexError):
                memory.allocate(4).write(b"fifth")
            with self.assertRaises(gms.Error) as caught:
                memory.allocate(1 << 40)
            self.assertEqual(caught.exception.kind, "invalid")
        with self.assertRaises(ValueError):
            memory.allocate(1)

    def test_killed_server_is_a_connection_error_and_a_new_one_is_found(self) -> None:
        memory = self.publish(a=b"one")
        block = memory.get("a").block
        self.server.kill()
        with self.assertRaises(ConnectionError):
            memory.map("anything")
        self.assertEqual(block.read(3), b"one")  # the memory lives while somebody maps it
        with self.assertRaises(ConnectionError):
            memory.sleep()
        memory.reset()
        self.server.start()
        with gms.connect("weights", "rw") as loader:
            loader.put("a", loader.allocate(3).write(b"two"), b"a")
            loader.commit()
        memory.wake()
        self.assertEqual(block.read(3), b"two")

    def test_closing_leaves_nothing_behind(self) -> None:
        self.publish(a=b"one", b=b"two").close()
        gms.connect().close()
        files = open_files()
        for _ in range(50):
            with gms.connect() as reader:
                reader.open_layout()
        self.assertEqual(open_files(), files)
        self.assertEqual(shared_mappings(), 0)


class Allocator(unittest.TestCase):
    """What PyTorch does with the shared object, without PyTorch."""

    def setUp(self) -> None:
        self.server = Server()
        self.server.__enter__()
        self.addCleanup(self.server.__exit__, None, None, None)
        self.allocator = ctypes.CDLL(os.environ["GMS_ALLOCATOR"])
        self.allocator.my_malloc.restype = ctypes.c_void_p
        self.allocator.my_malloc.argtypes = [ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
        self.allocator.my_free.restype = None
        self.allocator.my_free.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]

    def test_blocks_come_from_the_pool_and_go_back_outside_of_it(self) -> None:
        with gms.connect("weights", "rw") as memory:
            with gms.use_mem_pool(memory, "server"):
                block = self.allocator.my_malloc(100, 0, None)
                self.assertEqual(memory.find(block).size, 100)
            self.allocator.my_free(block, 100, 0, None)
            self.assertEqual(memory.total_bytes, 0)

    def test_failure_inside_the_pool_is_raised_at_its_end(self) -> None:
        with gms.connect("weights", "rw") as memory:
            with self.assertRaises(gms.Error), gms.use_mem_pool(memory, "server"):
                self.assertIsNone(self.allocator.my_malloc(1 << 40, 0, None))
        self.assertIsNone(self.allocator.my_malloc(100, 0, None))


class Header(unittest.TestCase):
    """ctypes knows every function of the header, and no other."""

    def test_functions_are_those_of_the_header(self) -> None:
        header = (ROOT / "include" / "gms.h").read_text()
        declared = set(re.findall(r"GMS_PUBLIC [^;]*?\b(gms_\w+)\(", header))
        # The allocator's own two are called by the shared object, not by Python; one is there for programs of version 1.0.
        others = {"gms_allocator_malloc", "gms_allocator_free", "gms_options_init"}
        self.assertEqual(declared - others, set(_native._FUNCTIONS))
        exported = set(re.findall(r"gms_\w+", (ROOT / "lib" / "gms.map").read_text()))
        self.assertEqual(exported, declared)


if __name__ == "__main__":
    unittest.main(verbosity=2)
