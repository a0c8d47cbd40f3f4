#!/usr/bin/env python3
"""The program as it is started, ended and killed: server_program_test.py GMS-SERVER."""
import ctypes
import fcntl
import glob
import os
import platform
import random
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from v0_client import Client, Refused, close_all, pack  # noqa: E402

SERVER = os.path.abspath(sys.argv.pop(1))
ROUNDS = int(os.environ.get("GMS_KILL_ROUNDS", "25"))
HERE = os.path.dirname(os.path.abspath(__file__))


def run(*arguments, **environment):
    return subprocess.run([SERVER, *arguments], env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False)


class Running:
    """A server in a directory."""

    def __init__(self, directory, *arguments, log=None, within=(), **how):
        self.directory = directory
        self.log = log or tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [*within, SERVER, "--device-type", "host", "--host-memory", "16Mi", "--host-granularity", "4Ki", *arguments],
            env={**os.environ, "GMS_SOCKET_DIR": directory, "GMS_GPU_UUIDS": "GPU-a,GPU-b"}, stderr=self.log, text=True, **how)

    def admin(self, name="gms_admin.sock"):
        """Waits until everything is there."""
        deadline = time.monotonic() + 30
        while True:
            try:
                client = Client(os.path.join(self.directory, name))
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


def connect_soon(path):
    deadline = time.monotonic() + 30
    while True:
        try:
            return Client(path)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.002)


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


def refuse_blocking_eventfds():
    """From now on the kernel makes none for this process, as when descriptors have run out."""
    load, equal, give_back = 0x20, 0x15, 0x06
    number = {"x86_64": 290, "aarch64": 19}[platform.machine()]
    flags_at, cloexec, emfile = 24, 0o2000000, 24
    rules = [(load, 0, 0, 0), (equal, 0, 3, number), (load, 0, 0, flags_at), (equal, 0, 1, cloexec),
             (give_back, 0, 0, 0x00050000 | emfile), (give_back, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *rule) for rule in rules))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(rules), ctypes.addressof(code)))
    no_new_privileges, seccomp, by_filter = 38, 22, 2
    kernel = ctypes.CDLL(None)
    if kernel.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or kernel.prctl(seccomp, by_filter, program) != 0:
        raise OSError("no calls can be refused here")


def leads_to(link, path):
    try:
        return os.readlink(link) == path
    except OSError:
        return False  # closed meanwhile


WEIGHTS = [b"weight %d" % i for i in range(3)]


class Program(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.directory = self.temporary.name
        self.addCleanup(self.temporary.cleanup)

    def start(self, *arguments, **how):
        server = Running(self.directory, *arguments, **how)
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

    def test_what_operators_cannot_say_comes_from_the_environment(self):
        """They start it without options: the image says what it serves."""
        missing = os.path.join(self.directory, "missing")
        done = run(GMS_DEVICE_TYPE="host", GMS_HOST_MEMORY="4Mi", GMS_SOCKET_DIR=missing)
        self.assertIn("missing", done.stderr, "the device was opened, the directory was not")
        self.assertEqual(run(GMS_DEVICE_TYPE="xpu").returncode, 2)
        self.assertEqual(run(GMS_DEVICE_TYPE="host", GMS_HOST_MEMORY="much").returncode, 2)

    def test_memory_comes_from_the_node_that_was_asked_for(self):
        absent = run("--device-type", "host", "--host-numa-node", "1023", GMS_SOCKET_DIR=self.directory)
        self.assertNotEqual(absent.returncode, 0)
        self.assertIn("1023", absent.stderr)
        if os.path.isdir("/sys/devices/system/node/node0"):
            server = self.start("--host-numa-node", "0")
            server.admin().close()
            publish(server.socket())
            self.assertEqual(read_weights(server.socket()), WEIGHTS)

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

    def test_the_folder_may_have_another_path_where_the_server_runs(self):
        elsewhere = self.directory + "-elsewhere"
        os.symlink(self.directory, elsewhere)
        self.addCleanup(lambda: os.path.islink(elsewhere) and os.unlink(elsewhere))
        server = Running(elsewhere)
        self.addCleanup(server.stop, signal.SIGKILL)
        server.admin().close()
        publish(server.socket())
        os.unlink(elsewhere)  # as if it were another container's
        ready = run("--probe-restore-ready", GMS_SOCKET_DIR=self.directory)
        self.assertEqual(ready.returncode, 0, ready.stderr)

    def test_others_are_told_whole_paths(self):
        server = Running(self.directory, "--socket-dir", ".", cwd=self.directory)
        self.addCleanup(server.stop, signal.SIGKILL)
        admin = server.admin()
        for domain in admin.call("status_request")["domains"]:
            self.assertTrue(os.path.isabs(domain["socket"]) and os.path.exists(domain["socket"]), domain["socket"])
        admin.close()

    def test_the_probe_is_not_ready_while_one_of_the_servers_is_dead_or_hangs(self):
        environment = {"GMS_SOCKET_DIR": self.directory}
        first = self.start("--device", "0")
        first.admin().close()
        second = self.start("--device", "1")
        second.admin("gms_admin_1.sock").close()
        publish(first.socket())
        publish(first.socket(uuid="GPU-b"))
        second.process.send_signal(signal.SIGSTOP)
        hangs = run("--probe-restore-ready", **environment)
        self.assertEqual(hangs.returncode, 1)
        self.assertIn("gms_admin_1.sock: somebody listens there and does not answer", hangs.stderr)
        self.assertEqual(run("--probe-restore-ready", "--device", "0", **environment).returncode, 0, "that one answers")
        second.process.send_signal(signal.SIGCONT)
        self.assertEqual(run("--probe-restore-ready", **environment).returncode, 0)
        second.stop(signal.SIGKILL)
        dead = run("--probe-restore-ready", **environment)
        self.assertEqual(dead.returncode, 1)
        self.assertIn("a server died there", dead.stderr)
        os.unlink(os.path.join(self.directory, "gms_admin_1.sock"))  # its sockets for weights tell as well
        dead = run("--probe-restore-ready", **environment)
        self.assertEqual(dead.returncode, 1)
        self.assertIn("--device", dead.stderr)
        self.assertEqual(run("--probe-restore-ready", "--device", "0", **environment).returncode, 0)
        self.assertIn("device 1", run("--probe-restore-ready", "--device", "0", "--device", "1", **environment).stderr)
        second = self.start("--device", "1")
        second.admin("gms_admin_1.sock").close()
        publish(first.socket(uuid="GPU-b"))
        self.assertEqual(run("--probe-restore-ready", **environment).returncode, 0, "it is back")

    def test_servers_that_come_back_in_another_order_are_ready(self):
        environment = {"GMS_SOCKET_DIR": self.directory}
        first = self.start("--device", "0")
        first.admin().close()
        second = self.start("--device", "1")
        second.admin("gms_admin_1.sock").close()
        first.stop(signal.SIGKILL)
        second.stop(signal.SIGKILL)
        second = self.start("--device", "1")
        second.admin().close()
        first = self.start("--device", "0")
        first.admin("gms_admin_0.sock").close()
        publish(first.socket())
        publish(first.socket(uuid="GPU-b"))
        ready = run("--probe-restore-ready", **environment)
        self.assertEqual(ready.returncode, 0, ready.stderr)

    def test_a_number_that_another_server_has_is_refused(self):
        first = self.start("--device", "0")
        first.admin().close()
        other = run("--device-type", "host", "--device", "0", "--host-memory", "1Mi", "--host-granularity", "4Ki",
                    GMS_SOCKET_DIR=self.directory, GMS_GPU_UUIDS="GPU-c")
        self.assertEqual(other.returncode, 1)
        for words in (f"process {first.process.pid}", "GPU-a", "--number-links=false", "--socket-dir"):
            self.assertIn(words, other.stderr)
        self.assertEqual(os.readlink(os.path.join(self.directory, "gms_0_weights.sock")), "gms_GPU-a_weights.sock")

    def test_who_pretends_to_be_the_predecessor_is_not_believed(self):
        # One process has the sockets, another one says so: neither is asked to end.
        first = self.start("--device", "0")
        first.admin().close()
        publish(first.socket())
        elsewhere = tempfile.TemporaryDirectory()
        self.addCleanup(elsewhere.cleanup)
        pretender = Running(elsewhere.name, "--device", "0")
        self.addCleanup(pretender.stop, signal.SIGKILL)
        pretender.admin().close()
        admin = os.path.join(self.directory, "gms_admin.sock")
        os.unlink(admin)
        os.symlink(os.path.join(elsewhere.name, "gms_admin.sock"), admin)
        successor = run("--device-type", "host", "--device", "0", "--host-memory", "16Mi", "--host-granularity", "4Ki", "--take-over",
                        GMS_SOCKET_DIR=self.directory, GMS_GPU_UUIDS="GPU-a")
        self.assertEqual(successor.returncode, 1, successor.stderr)
        self.assertRegex(successor.stderr, f"process {first.process.pid} .*, not the predecessor, process {pretender.process.pid}")
        self.assertEqual(read_weights(first.socket()), WEIGHTS)
        pretender.admin().close()

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

    def test_the_probe_waits_longer_for_the_answer_than_the_server_for_weights(self):
        server = self.start("--device", "0")
        server.admin().close()
        publish(server.socket())
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(server.socket(uuid="GPU-slow"))
        listener.listen()

        def answer_late():
            listener.accept()[0].close()  # the first only asks whether somebody is there
            connection = listener.accept()[0]
            connection.recv(4096)
            time.sleep(0.6)
            payload = pack({"type": "handshake_response", "success": True, "committed": True, "granted_lock_type": "ro"})
            connection.sendall(struct.pack(">I", len(payload)) + payload)
            connection.close()

        slow = threading.Thread(target=answer_late, daemon=True)
        slow.start()
        probed = run("--probe-restore-ready", GMS_SOCKET_DIR=self.directory)
        slow.join(30)
        self.assertEqual(probed.returncode, 0, probed.stderr)

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

    def test_a_writer_that_the_servers_cannot_number_is_not_succeeded_after_a_hand_over(self):
        # W-18: as where every container has its own numbers of processes.
        within = ["unshare", "--pid", "--fork", "--kill-child"]
        if subprocess.run([*within, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no PID namespace can be made here")
        first = self.start("--adopt-quarantine", "1h", within=within)
        writer = connect_soon(first.socket("kv_cache"))
        writer.lock("rw")
        writer.call("allocate_request", size=1, tag="kv")
        writer.call("commit_layout_request")
        second = self.start("--take-over", "--adopt-quarantine", "1h", within=within)
        self.assertEqual(first.process.wait(30), 0)
        other = connect_soon(second.socket("kv_cache"))
        self.assertFalse(other.lock("rw_data_or_rw", timeout_ms=50)["success"])
        other.close()
        writer.close()

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

    def test_a_successor_that_waits_for_its_predecessor_can_be_stopped(self):
        waiting = self.start("--take-over", "--verbose")
        caught = f"/proc/{waiting.process.pid}/status"
        while "SigBlk:\t0000000000004002" not in open(caught).read():  # it takes signals by then
            self.assertIsNone(waiting.process.poll())
        begun = time.monotonic()
        self.assertEqual(waiting.stop(), 0)
        self.assertLess(time.monotonic() - begun, 20)

    def test_a_successor_that_cannot_watch_for_signals_takes_over_all_the_same(self):
        first = self.start()
        first.admin().close()
        publish(first.socket())
        try:
            second = Running(self.directory, "--take-over", preexec_fn=refuse_blocking_eventfds)
        except subprocess.SubprocessError:
            self.skipTest("a kernel that refuses needs the right to filter calls")
        self.addCleanup(second.stop, signal.SIGKILL)
        second.admin().close()
        self.assertEqual(read_weights(second.socket()), WEIGHTS)

    def test_a_successor_that_is_stopped_before_it_serves_leaves_the_predecessor(self):
        first = self.start()
        first.admin().close()
        publish(first.socket())
        folder = os.open(self.directory, os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)  # both wait for it a while, and go on without it
        second = self.start("--take-over")
        fds = f"/proc/{second.process.pid}/fd"
        at_the_folder = False
        while os.path.exists(first.socket()) or not at_the_folder:
            self.assertIsNone(second.process.poll())
            at_the_folder = any(leads_to(os.path.join(fds, fd), self.directory) for fd in os.listdir(fds))
            time.sleep(0.002)
        second.process.send_signal(signal.SIGTERM)
        os.close(folder)
        self.assertEqual(second.process.wait(30), 0)
        first.admin().close()
        self.assertEqual(read_weights(first.socket()), WEIGHTS)

    def test_numbers_that_do_not_fit_are_refused(self):
        # 2^32 + 1000 would be user 1000.
        for option, value in (("--allow-uid", 2**32 + 1000), ("--allow-gid", 2**32 - 1), ("--device", 2**32)):
            result = run("--device-type", "host", option, str(value), GMS_SOCKET_DIR=self.directory)
            self.assertEqual(result.returncode, 2, option)
            self.assertIn(f"{option}: {value} is not a number from 0 to", result.stderr)

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

    def test_a_client_with_many_connections_leaves_room_for_others(self):
        server = self.start(within=["prlimit", "--nofile=256:256"])
        server.admin().close()
        code = ("import sys; sys.path.insert(0, sys.argv[1]); from v0_client import Client\n"
                "all = [Client(sys.argv[2]) for _ in range(300)]\n"
                "for c in all:\n"
                "    try: c.send('handshake_request', lock_type='ro', timeout_ms=None)\n"
                "    except OSError: pass\n"
                "print('connected', flush=True); sys.stdin.read()")
        greedy = subprocess.Popen([sys.executable, "-c", code, HERE, server.socket("kv_cache")],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(greedy.communicate)
        self.addCleanup(greedy.kill)
        self.assertEqual(greedy.stdout.readline().strip(), "connected")
        publish(server.socket())
        self.assertEqual(read_weights(server.socket()), WEIGHTS)

    def test_the_administration_answers_when_no_descriptor_is_left(self):
        server = self.start(within=["prlimit", "--nofile=256:256"])
        server.admin().close()
        # The thread that gives memory back begins here: a sanitizer wants a descriptor when it does.
        first = Client(server.socket())
        first.lock_extended("rw")
        first.call("allocate_request", size=4096, tag="weights")
        first.close()
        writer = Client(server.socket())
        writer.lock_extended("rw")
        item = {"allocation_id": "", "size": 4096, "aligned_size": 0, "tag": "weights", "layout_slot": 0}
        writer.send("allocate_batch_request", items=[item] * 400, with_fds=False)
        while server.fds() < 256:
            time.sleep(0.002)
        for _ in range(20):  # one after the other, as often as anybody likes
            server.admin().close()
        writer.close()
        while server.fds() > 128:  # they come back one by one
            time.sleep(0.002)
        publish(server.socket())

    def test_readers_that_fetch_nothing_leave_room_for_others(self):
        server = self.start_with_few_descriptors()
        publish_many(server.socket(), 200)
        stuck = [ask_for_layout(server.socket()) for _ in range(5)]  # four would do if each were sent all
        self.assertEqual(count_layout(ask_for_layout(server.socket())), 200)
        for reader in stuck:
            reader.close()

    def test_many_readers_that_hang_on_purpose_leave_room_for_others(self):
        server = self.start_with_few_descriptors("--answer-timeout", "1h")
        publish_many(server.socket(), 40)
        stuck = [ask_for_layout(server.socket()) for _ in range(40)]
        server.admin().close()  # answered after what was asked before
        for _ in range(3):
            honest = ask_for_layout(server.socket())
            self.assertEqual(count_layout(honest), 40)
            honest.close()
        for reader in stuck:
            reader.close()

    def test_readers_that_hang_again_and_again_leave_room_for_others(self):
        # Given up, they still have what was sent to them, until they close.
        server = self.start_with_few_descriptors("--answer-timeout", "50ms")
        publish_many(server.socket(), 200)
        admin = server.admin()
        stuck = []
        for _ in range(3):
            stuck += [ask_for_layout(server.socket()) for _ in range(16)]
            deadline = time.monotonic() + 30
            while admin.call("status_request")["domains"][0]["sessions"]:
                self.assertLess(time.monotonic(), deadline)
        self.assertEqual(count_layout(ask_for_layout(server.socket())), 200)
        for reader in stuck:
            reader.close()
        deadline = time.monotonic() + 30
        while server.fds() > 240:  # one for each allocation, and a few
            self.assertLess(time.monotonic(), deadline, server.fds())
        admin.close()

    def test_descriptors_that_the_kernel_does_not_take_yet_are_sent_later(self):
        # Another process of the same user has them on their way: nobody counts those but the kernel.
        server = self.start_with_few_descriptors()
        publish_many(server.socket(), 40)
        if os.geteuid() != 0:
            self.skipTest("only root can become the server's user")
        code = ("import array, os, resource, socket, sys\n"
                "resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096)); os.setgid(65534); os.setuid(65534)\n"
                "pairs = [socket.socketpair() for _ in range(20)]; fds = array.array('i', [0] * 40)\n"
                "for a, b in pairs: a.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])\n"
                "print('sent', flush=True); sys.stdin.read()")
        hog = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(hog.communicate)
        self.addCleanup(hog.kill)
        self.assertEqual(hog.stdout.readline().strip(), "sent")
        honest = ask_for_layout(server.socket())
        server.admin().close()  # answered after what was asked before
        self.assertEqual(select.select([honest.socket], [], [], 0)[0], [], "the kernel takes no more")
        hog.kill()
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
