#!/usr/bin/env python3
"""Existing clients and the server: v0_client_test.py GMS-SERVER. Everything over real sockets, with a client that shares no line."""
import glob
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from v0_client import Client, Refused, close_all  # noqa: E402

SERVER = sys.argv.pop(1)
GRANULARITY = 4096
LOCK_STATE = ["type", "state", "has_rw_session", "ro_session_count", "waiting_writers", "committed", "is_ready", "layout_committed"]


class ServerTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.log = open(os.path.join(self.directory.name, "log"), "wb")
        self.server = subprocess.Popen(
            [SERVER, "--device-type", "host", "--host-memory", "64Mi", "--host-granularity", "4Ki"],
            env={**os.environ, "GMS_SOCKET_DIR": self.directory.name, "GMS_GPU_UUIDS": "GPU-v0-test"}, stderr=self.log)
        self.weights = os.path.join(self.directory.name, "gms_GPU-v0-test_weights.sock")
        deadline = time.monotonic() + 30
        while not os.path.exists(os.path.join(self.directory.name, "gms_admin.sock")):
            self.assertIsNone(self.server.poll(), "the server ended")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def tearDown(self):
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(30), 0)
        self.assertEqual(glob.glob(self.directory.name + "/*.sock"), [], "sockets are left behind")
        self.log.close()
        self.directory.cleanup()

    def committed(self):
        writer = Client(self.weights)
        writer.lock("rw")
        record = writer.call("allocate_request", size=5000, tag="weights")
        _, fds = writer.call("export_allocation_request", fds=1, allocation_id=record["allocation_id"])
        with mmap.mmap(fds[0], record["aligned_size"]) as memory:
            memory[:6] = b"weight"
        close_all(fds)
        writer.call("metadata_put_request", key="layer", allocation_id=record["allocation_id"], offset_bytes=7, value=b"\x00\xffv")
        self.assertEqual(writer.call("commit_request"), {"type": "commit_response", "success": True})
        self.assertTrue(writer.closed_by_server())
        return record

    def test_a_writer_publishes_and_a_reader_maps_the_same_bytes(self):
        record = self.committed()
        self.assertEqual(list(record), ["type", "allocation_id", "size", "aligned_size", "layout_slot"])
        self.assertEqual((record["size"], record["aligned_size"], record["layout_slot"]), (5000, 8192, 0))
        reader = Client(self.weights)
        self.assertEqual(reader.lock("ro"),
                         {"type": "handshake_response", "success": True, "committed": True, "granted_lock_type": "ro"})
        listed = reader.call("list_allocations_request", tag=None)["allocations"]
        self.assertEqual(listed, [{"type": "get_allocation_response", "allocation_id": record["allocation_id"], "size": 5000,
                                   "aligned_size": 8192, "tag": "weights", "layout_slot": 0}])
        _, fds = reader.call("export_allocation_request", fds=1, allocation_id=record["allocation_id"])
        with mmap.mmap(fds[0], 8192, prot=mmap.PROT_READ) as memory:
            self.assertEqual(memory[:6], b"weight")
        with self.assertRaises(PermissionError):
            mmap.mmap(fds[0], 8192)  # to write
        close_all(fds)
        self.assertEqual(reader.call("metadata_get_request", key="layer"),
                         {"type": "metadata_get_response", "found": True, "allocation_id": record["allocation_id"],
                          "offset_bytes": 7, "value": b"\x00\xffv"})
        self.assertEqual(reader.call("metadata_list_request", prefix="")["keys"], ["layer"])
        self.assertEqual(len(reader.call("get_memory_layout_hash_request")["memory_layout_hash"]), 64)
        state = reader.call("get_lock_state_request")
        self.assertEqual(list(state), LOCK_STATE)
        self.assertEqual((state["state"], state["ro_session_count"]), ("RO", 1))
        reader.close()

    def test_probes_are_answered_once_and_touch_nothing(self):
        self.committed()
        probe = Client(self.weights)
        state = probe.call("get_runtime_state_request")
        self.assertEqual((state["state"], state["is_ready"], state["allocation_count"]), ("COMMITTED", True, 1))
        self.assertTrue(probe.closed_by_server())
        probe = Client(self.weights)
        events = probe.call("get_event_history_request")["events"]
        self.assertEqual(events, [{"kind": "rw_connected", "allocation_count": 0}, {"kind": "committed", "allocation_count": 0}])

    def test_waiting_ends_with_success_false(self):
        client = Client(self.weights)
        self.assertEqual(client.lock("ro", timeout_ms=20),
                         {"type": "handshake_response", "success": False, "committed": False, "granted_lock_type": None})
        self.assertTrue(client.closed_by_server())

    def test_errors_have_the_words_that_clients_look_for(self):
        record = self.committed()
        reader = Client(self.weights)
        reader.lock("rw_or_ro")
        with self.assertRaisesRegex(Refused, "AllocateRequest not allowed for RO session in state RO"):
            reader.call("allocate_request", size=1, tag="default")
        with self.assertRaisesRegex(Refused, "Unknown allocation: nope"):
            reader.call("get_allocation_request", allocation_id="nope")
        self.assertEqual(reader.call("get_allocation_request", allocation_id=record["allocation_id"])["size"], 5000)
        reader.close()
        stranger = Client(self.weights)
        with self.assertRaisesRegex(Refused, "Expected HandshakeRequest"):
            stranger.call("commit_request")
        self.assertTrue(stranger.closed_by_server())

    def test_a_sealed_layout_is_adopted_with_its_bytes(self):
        writer = Client(self.weights)
        writer.lock("rw")
        record = writer.call("allocate_request", size=4096, tag="kv_cache")
        sealed = writer.call("commit_layout_request")
        self.assertEqual(list(sealed), ["type", "success", "memory_layout_hash", "granted_lock_type"])
        self.assertEqual(sealed["granted_lock_type"], "rw_data")
        self.assertEqual(sealed["memory_layout_hash"], "7e6d7d18ce9b7855492787af133ec6ffd317f017d12209afd11b03a411f0d7e5")
        with self.assertRaisesRegex(Refused, "not allowed: the layout is committed"):
            writer.call("allocate_request", size=1, tag="default")
        writer.close()
        adopter = Client(self.weights)
        self.assertEqual(adopter.lock("rw_data_or_rw")["granted_lock_type"], "rw_data")
        self.assertEqual(adopter.call("list_allocations_request", tag=None)["allocations"][0]["allocation_id"],
                         record["allocation_id"])
        adopter.close()

    def test_fields_that_it_does_not_know_are_ignored(self):
        client = Client(self.weights)
        self.assertTrue(client.call("handshake_request", lock_type="rw", timeout_ms=None, of_the_future=[1, {"a": b"b"}])["success"])
        client.close()


if __name__ == "__main__":
    unittest.main()
