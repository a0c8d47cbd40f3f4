#!/usr/bin/env python3
"""The program as it is started, ended and killed: server_program_test.py GMS-SERVER."""
import glob
import os
import random
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from v0_client import Client, Refused, close_all  # noqa: E402

SERVER = sys.argv.pop(1)
ROUNDS = int(os.environ.get("GMS_KILL_ROUNDS", "25"))
HERE = os.path.dirname(os.path.abspath(__file__))


def run(*arguments, **environment):
    return subprocess.run([SERVER, *arguments], env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False)


class Running:
    """A server in a directory."""

    def __init__(self, directory, *arguments, log=None, **how):
        self.directory = directory
        self.log = log or tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [SERVER, "--device-type", "host", "--host-memory", "16Mi", "--host-granularity", "4Ki", *arguments],
            env={**os.environ, "GMS_SOCKET_DIR": directory, "GMS_GPU_UUIDS": "GPU-a,GPU-b"}, stderr=self.log, text=True, **how)

    def admin(self):
        """Waits until everything is there."""
        deadline = time.monotonic() + 30
        while True:
            try:
                client = Client(os.path.join(self.directory, "gms_admin.sock"))
                if client.call("status_request")["pid"] == self.process.pid:
                    return client
                client.close()
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.log.seek(0)
                raise AssertionError("not up: " + self.log.read())
            time.sleep(0.002)

    def socket(self, tag="weights", uuid="GPU-a"):
        return os.path.join(self.directory, f"gms_{uuid}_{tag}.sock")

    def fds(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(30)
        self.log.close()
        return code


def publish(path, count=3):
    writer = Client(path)
    writer.lock("rw")
    for i in range(count):
        record = writer.call("allocate_request", size=4096, tag="weights")
        _, fds = writer.call("export_allocation_request", fds=1, allocation_id=record["allocation_id"])
        os.pwrite(fds[0], b"weight %d" % i, 0)
        close_all(fds)
        writer.call("metadata_put_request", key=str(i), allocation_id=record["allocation_id"], offset_bytes=0, value=b"")
    writer.call("commit_request")
    writer.close()


def read_weights(path):
    reader = Client(path)
    reader.lock("ro", timeout_ms=30000)
    contents = []
    for record in reader.call("list_allocations_request", tag=None)["allocations"]:
        _, fds = reader.call("export_allocation_request", fds=1, allocation_id=record["allocation_id"])
        contents.append(os.pread(fds[0], 8, 0))
        close_all(fds)
    reader.close()
    return contents


def publish_many(path, count):
    writer = Client(path)
    writer.lock_extended("rw")
    for _ in range(0, count, 40):
        item = {"allocation_id": "", "size": 4096, "aligned_size": 0, "tag": "weights", "layout_slot": 0}
        writer.call("allocate_batch_request", items=[item] * 40, with_fds=False)
    writer.call("commit_request")
    writer.close()


def ask_for_layout(path):
    reader = Client(path)
    reader.lock_extended("ro")
    reader.send("open_layout_request")
    return reader


def count_layout(reader):
    """Fetches the layout that was asked for; how many descriptors came."""
    count, more = 0, True
    while more:
        message, fds = reader.receive()
        more = message["more"]
        count += len(fds)
        close_all(fds)
    return count


WEIGHTS = [b"weight %d" % i for i in range(3)]


class Program(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.directory = self.temporary.name
        self.addCleanup(self.temporary.cleanup)

    def start(self, *arguments):
        server = Running(self.directory, *arguments)
        self.addCleanup(server.stop, signal.SIGKILL)
        return server

    def test_wrong_command_lines_end_with_2(self):
        # B06
        for arguments, words in ((["--tag", "other"], "invalid choice"), (["--tag", "weights", "--tag", "weights"], "must be unique"),
                                 (["--socket-path", "/tmp/x"], "requires exactly one --tag"), (["--device", "x"], "not a number"),
                                 (["--alloc-retry-timeout", "0"], "above 0"), (["--device-type", "xpu"], "xpu"), (["--no-such"], "no-such")):
            done = run("--device-type", "host", "--host-memory", "1Mi", "--host-granularity", "4Ki", *arguments, GMS_SOCKET_DIR=self.directory)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
        self.assertEqual(run("--help").returncode, 0)
        self.assertIn("Exit codes", run("--help").stdout)

    def test_what_fails_outside_ends_with_1(self):
        self.assertEqual(run("--device-type", "host", GMS_SOCKET_DIR="/no/such/directory").returncode, 1)
        too_long = os.path.join(self.directory, "x" * 100)
        os.mkdir(too_long)
        done = run("--device-type", "host", GMS_SOCKET_DIR=too_long)
        self.assertIn("too long for AF_UNIX", done.stderr)  # B04
        server = self.start()
        server.admin().close()
        second = run("--device-type", "host", GMS_SOCKET_DIR=self.directory, GMS_GPU_UUIDS="GPU-a")
        self.assertEqual(second.returncode, 1)
        self.assertIn("GMS already running at", second.stderr)

    def test_tags_and_paths(self):
        # B05
        own = os.path.join(self.directory, "own.sock")
        server = self.start("--tag", "kv_cache", "--socket-path", own)
        server.admin().close()
        client = Client(own)
        self.assertTrue(client.lock("rw")["success"])
        client.close()
        self.assertEqual(sorted(os.path.basename(path) for path in glob.glob(self.directory + "/*")), ["gms_admin.sock", "own.sock"])
        self.assertEqual(os.stat(own).st_mode & 0o777, 0o600)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(os.listdir(self.directory), [])

    def test_sockets_left_by_a_killed_server_do_not_matter(self):
        server = self.start("--device", "0", "--device", "1")
        server.admin().close()
        server.stop(signal.SIGKILL)
        self.assertEqual(len(glob.glob(self.directory + "/gms_*.sock")), 9)
        server = self.start("--device", "0", "--device", "1")
        server.admin().close()
        publish(server.socket(uuid="GPU-b"))
        self.assertEqual(read_weights(server.socket(uuid="GPU-b")), WEIGHTS)

    def test_servers_that_start_at_once_share_a_folder(self):
        for _ in range(5):
            servers = [self.start("--device", device, "--tag", tag) for device in ("0", "1") for tag in ("weights", "kv_cache")]
            pids = {server.process.pid for server in servers}
            deadline = time.monotonic() + 30
            found = set()
            while found != pids:
                self.assertLess(time.monotonic(), deadline, (found, pids))
                found = set()
                for path in glob.glob(self.directory + "/gms_admin*.sock"):
                    try:
                        client = Client(path)
                        found.add(client.call("status_request")["pid"])
                        client.close()
                    except OSError:
                        pass
            self.assertEqual([server.stop() for server in servers], [0] * 4)
            self.assertEqual(os.listdir(self.directory), [])

    def test_the_probe_asks_all_servers_of_a_folder(self):
        environment = {"GMS_SOCKET_DIR": self.directory}
        first = self.start("--device", "0")
        first.admin().close()
        second = self.start("--device", "1")
        publish(first.socket())
        while not os.path.exists(os.path.join(self.directory, "gms_admin_1.sock")):
            self.assertIsNone(second.process.poll())
            time.sleep(0.002)
        self.assertEqual(run("--probe-restore-ready", **environment).returncode, 1)
        publish(first.socket(uuid="GPU-b"))
        self.assertEqual(run("--probe-restore-ready", **environment).returncode, 0)
        self.assertEqual(run("--probe-restore-ready", "--device", "1", **environment).returncode, 0)

    def test_the_probe_says_whether_weights_can_be_read(self):
        environment = {"GMS_SOCKET_DIR": self.directory}
        self.assertEqual(run("--probe-restore-ready", **environment).returncode, 1)
        server = self.start("--device", "0", "--device", "1")
        server.admin().close()
        self.assertEqual(run("--probe-restore-ready", **environment).returncode, 1)
        publish(server.socket(uuid="GPU-a"))
        self.assertEqual(run("--probe-restore-ready", "--device", "0", **environment).returncode, 0)
        self.assertEqual(run("--probe-restore-ready", **environment).returncode, 1)
        publish(server.socket(uuid="GPU-b"))
        self.assertEqual(run("--probe-restore-ready", **environment).returncode, 0)
        self.assertEqual(run("--probe-restore-ready", "--device", "7", **environment).returncode, 1)

    def test_a_fence_comes_down_with_the_process_that_put_it_up(self):
        # W-56
        server = self.start()
        server.admin().close()
        publish(server.socket())
        code = ("import sys; sys.path.insert(0, sys.argv[1]); from v0_client import Client\n"
                "c = Client(sys.argv[2]); c.send('prepare_checkpoint_request', bound_to_peer=True)\n"
                "print(c.receive()[0]['state'], flush=True); sys.stdin.read()")
        owner = subprocess.Popen([sys.executable, "-c", code, HERE, server.socket()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(owner.stdout.readline().strip(), "checkpoint_ready")
        reader = Client(server.socket())
        with self.assertRaisesRegex(Refused, "fenced for checkpoint"):
            reader.lock("ro")
        reader.close()
        owner.kill()
        owner.communicate()
        deadline = time.monotonic() + 30
        while True:
            reader = Client(server.socket())
            try:
                self.assertTrue(reader.lock("ro")["success"])
                break
            except Refused:
                self.assertLess(time.monotonic(), deadline)
            finally:
                reader.close()

    def test_a_sealed_layout_is_not_adopted_while_its_writer_may_still_write(self):
        # W-18
        server = self.start("--adopt-quarantine", "1h")
        server.admin().close()
        code = ("import sys; sys.path.insert(0, sys.argv[1]); from v0_client import Client\n"
                "c = Client(sys.argv[2]); c.lock('rw'); c.call('allocate_request', size=1, tag='kv'); c.call('commit_layout_request')\n"
                "c.close(); print('closed', flush=True); sys.stdin.read()")
        owner = subprocess.Popen([sys.executable, "-c", code, HERE, server.socket("kv_cache")],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(owner.stdout.readline().strip(), "closed")
        early = Client(server.socket("kv_cache"))
        self.assertFalse(early.lock("rw_data_or_rw", timeout_ms=50)["success"])
        standby = Client(server.socket("kv_cache"))
        standby.send("handshake_request", lock_type="rw_data_or_rw", timeout_ms=None)
        owner.kill()
        owner.communicate()
        self.assertEqual(standby.receive()[0]["granted_lock_type"], "rw_data")
        standby.close()
        early.close()

    def test_a_successor_keeps_a_sealed_layout_from_others_while_its_writer_may_still_write(self):
        # W-18: the hand-over ends the writer's lease, not its writing.
        first = self.start("--adopt-quarantine", "1h")
        first.admin().close()
        code = ("import sys; sys.path.insert(0, sys.argv[1]); from v0_client import Client\n"
                "c = Client(sys.argv[2]); c.lock('rw'); c.call('allocate_request', size=1, tag='kv'); c.call('commit_layout_request')\n"
                "print('sealed', flush=True); sys.stdin.readline()\n"
                "c = Client(sys.argv[2]); print(c.lock('rw_data_or_rw', timeout_ms=30000)['granted_lock_type'], flush=True); c.close()\n"
                "print('closed', flush=True); sys.stdin.read()")
        owner = subprocess.Popen([sys.executable, "-c", code, HERE, first.socket("kv_cache")],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(owner.communicate)
        self.addCleanup(owner.kill)
        self.assertEqual(owner.stdout.readline().strip(), "sealed")
        second = self.start("--take-over", "--adopt-quarantine", "1h")
        second.admin().close()
        early = Client(second.socket("kv_cache"))
        self.assertFalse(early.lock("rw_data_or_rw", timeout_ms=50)["success"])
        early.close()
        third = self.start("--take-over", "--adopt-quarantine", "1h")  # the next one still knows
        third.admin().close()
        early = Client(third.socket("kv_cache"))
        self.assertFalse(early.lock("rw_data_or_rw", timeout_ms=50)["success"])
        early.close()
        owner.stdin.write("\n")  # the writer itself need not wait
        owner.stdin.flush()
        self.assertEqual(owner.stdout.readline().strip(), "rw_data")
        self.assertEqual(owner.stdout.readline().strip(), "closed")
        standby = Client(third.socket("kv_cache"))
        standby.send("handshake_request", lock_type="rw_data_or_rw", timeout_ms=None)
        owner.kill()
        self.assertEqual(standby.receive()[0]["granted_lock_type"], "rw_data")
        standby.close()

    def test_users_that_are_not_named_are_refused(self):
        # W-07
        if os.geteuid() != 0:
            self.skipTest("only root can become others")
        os.chmod(self.directory, 0o755)
        server = self.start("--allow-uid", "1234")
        server.admin().close()
        code = ("import os, sys; sys.path.insert(0, sys.argv[1]); from v0_client import Client\n"
                "os.setgid(9); os.setuid(int(sys.argv[3]))\n"
                "c = Client(sys.argv[2]); print(c.lock('rw')['success'])")

        def as_user(uid, path):
            return subprocess.run([sys.executable, "-c", code, HERE, path, str(uid)], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(as_user(1234, server.socket()).stdout, "True\n")
        self.assertIn("--allow-uid 1235", as_user(1235, server.socket()).stderr)
        self.assertIn("PermissionError", as_user(1234, os.path.join(self.directory, "gms_admin.sock")).stderr)

    def test_a_successor_takes_over_and_nothing_is_lost(self):
        # W-55
        first = self.start()
        first.admin().close()
        publish(first.socket())
        reader = Client(first.socket())
        reader.lock("ro")
        second = self.start("--take-over")
        second.admin().close()
        self.assertEqual(first.process.wait(30), 0)
        self.assertTrue(reader.closed_by_server())
        self.assertEqual(read_weights(second.socket()), WEIGHTS)
        third = self.start("--take-over")
        third.admin().close()
        self.assertEqual(second.process.wait(30), 0)
        self.assertEqual(read_weights(third.socket()), WEIGHTS)
        publish(third.socket())
        self.assertEqual(third.stop(), 0)

    def test_a_log_that_nobody_reads_stops_nobody(self):
        reads, writes = os.pipe()
        server = Running(self.directory, log=os.fdopen(writes, "w"))
        self.addCleanup(server.stop, signal.SIGKILL)
        server.admin().close()
        publish(server.socket())
        for _ in range(1500):  # each is a line, together more than a pipe holds
            client = Client(server.socket())
            client.lock("ro")
            client.close()
        os.set_blocking(reads, False)
        self.assertGreater(len(os.read(reads, 1 << 20)), 32 << 10, "the pipe was full")
        os.close(reads)  # and one whose reader is gone
        self.assertEqual(read_weights(server.socket()), WEIGHTS)
        self.assertEqual(server.stop(), 0)

    def start_with_few_descriptors(self, *arguments):
        """A server that the kernel takes no more than 700 unfetched descriptors from: root is exempt, so it is somebody else."""
        how = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (700, 700))}
        if os.geteuid() == 0:
            os.chown(self.directory, 65534, 65534)
            program = os.open(SERVER, os.O_PATH)  # which that user need not find
            self.addCleanup(os.close, program)
            how |= {"user": 65534, "group": 65534, "pass_fds": [program], "executable": f"/proc/self/fd/{program}"}
        server = Running(self.directory, *arguments, **how)
        self.addCleanup(server.stop, signal.SIGKILL)
        server.admin().close()
        return server

    def test_readers_that_fetch_nothing_leave_room_for_others(self):
        server = self.start_with_few_descriptors()
        publish_many(server.socket(), 200)
        stuck = [ask_for_layout(server.socket()) for _ in range(5)]  # four would do if each were sent all
        self.assertEqual(count_layout(ask_for_layout(server.socket())), 200)
        for reader in stuck:
            reader.close()

    def test_descriptors_that_the_kernel_does_not_take_yet_are_sent_later(self):
        server = self.start_with_few_descriptors()
        publish_many(server.socket(), 40)  # which one frame takes: the server itself keeps few descriptors open
        stuck = [ask_for_layout(server.socket()) for _ in range(20)]
        honest = ask_for_layout(server.socket())
        server.admin().close()  # answered after what was asked before
        self.assertEqual(select.select([honest.socket], [], [], 0)[0], [], "the kernel takes no more")
        for reader in stuck:
            reader.close()
        self.assertEqual(count_layout(honest), 40)
        honest.close()

    def test_answers_that_nobody_fetches_end_the_connection(self):
        server = self.start_with_few_descriptors("--answer-timeout", "50ms")
        publish_many(server.socket(), 200)
        stuck = ask_for_layout(server.socket())
        admin = server.admin()
        deadline = time.monotonic() + 30
        while admin.call("status_request")["domains"][0]["sessions"]:
            self.assertLess(time.monotonic(), deadline)
        stuck.close()

    def test_clients_that_are_killed_anywhere_leave_nothing_behind(self):
        server = self.start()
        admin = server.admin()
        publish(server.socket())
        read_weights(server.socket())
        # All three participants of a hand-out: who waits, who writes, who reads.
        code = ("import sys; sys.path.insert(0, sys.argv[1]); from v0_client import Client, close_all\n"
                "while True:\n"
                "  c = Client(sys.argv[2]); grant = c.lock(sys.argv[3])['granted_lock_type']\n"
                "  if grant == 'rw':\n"
                "    for i in range(3):\n"
                "      r = c.call('allocate_request', size=65536, tag='weights')\n"
                "      close_all(c.call('export_allocation_request', fds=1, allocation_id=r['allocation_id'])[1])\n"
                "  else:\n"
                "    for r in c.call('list_allocations_request', tag=None)['allocations']:\n"
                "      close_all(c.call('export_allocation_request', fds=1, allocation_id=r['allocation_id'])[1])\n"
                "  c.close()\n")

        def victim(mode, tag):
            return subprocess.Popen([sys.executable, "-c", code, HERE, server.socket(tag), mode])
        modes = [("ro", "weights"), ("rw", "weights"), ("rw_or_ro", "weights"), ("rw", "kv_cache")]
        chance = random.Random(1)
        before = None
        for round_number in range(ROUNDS):
            victims = [victim(*modes[(round_number + i) % len(modes)]) for i in range(3)]
            time.sleep(0.06 + chance.random() * 0.1)
            for process in victims:
                process.kill()
            for process in victims:
                process.wait()
            self.assertEqual(read_weights(server.socket()), WEIGHTS, "committed weights are as they were")
            deadline = time.monotonic() + 30
            while True:
                domains = admin.call("status_request")["domains"]
                idle = all(not domain["sessions"] for domain in domains)
                memory = domains[0]["device_free_bytes"] == domains[0]["device_total_bytes"] - 3 * 4096
                before = before or (server.fds() if idle and memory else None)
                if idle and memory and server.fds() <= before:
                    break
                self.assertLess(time.monotonic(), deadline, (domains, server.fds(), before))
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
