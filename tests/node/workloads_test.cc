// Programs as people run them are captured and come back with all that they knew.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/host/mount_info.h"
#include "agent/host/restored_processes.h"
#include "base/strings.h"
#include "server_rig.h"

namespace hearth::node {
namespace {

class WorkloadsTest : public ServerTest {};

TEST_F(WorkloadsTest, TwoGibibytesAndSixtyFourThreads) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("large", 2048, 64));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK_AND_ASSIGN(const auto restored, Move(source, "large-again"));
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(restored.socket));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.memory_hash, before.memory_hash);
  EXPECT_EQ(after.requests, before.requests + 1);
  EXPECT_EQ(after.threads, 64U);
}

TEST_F(WorkloadsTest, ForkedWorkersComeBackWithAllThatAServerHas) {
  ASSERT_OK_AND_ASSIGN(const auto source,
                       StartServer("forking", {"serve=0.0.0.0", "pair=127.0.0.1"}));
  ASSERT_OK(Ask(source).status());
  ASSERT_OK_AND_ASSIGN(const json::Value before, Ask(source));
  EXPECT_EQ(Number(before, "echoes"), 4) << "unix and TCP, twice";
  ASSERT_OK_AND_ASSIGN(const auto restored, Move(source, "forking-again"));
  ASSERT_OK_AND_ASSIGN(const json::Value after, Ask(restored));
  EXPECT_EQ(Text(after, "token"), Text(before, "token"));
  EXPECT_EQ(Text(after, "deleted"), Text(before, "token"));
  EXPECT_EQ(Text(after, "listener"), Text(before, "listener"));
  for (const char* const counted : {"requests", "events", "notices"}) {
    EXPECT_EQ(Number(after, counted), 3) << counted;
  }
  EXPECT_EQ(Number(after, "echoes"), 6);
  // Its timers run: CRIU would have stopped the one that had expired while it was captured.
  ASSERT_OK_AND_ASSIGN(const json::Value later, Ask(restored));
  for (const char* const timer : {"ticks", "alarms"}) {
    EXPECT_GT(Number(later, timer), Number(after, timer)) << timer;
  }
  // All its workers are there, and count together.
  const std::string listener = Text(after, "listener");
  const auto port = static_cast<uint16_t>(std::stoi(listener.substr(listener.find(',') + 1)));
  for (int i = 1; i <= 5; ++i) {
    ASSERT_OK_AND_ASSIGN(const UniqueFd client,
                         ConnectIn(PidOf("forking-again"), "127.0.0.1", port));
    ASSERT_OK_AND_ASSIGN(const std::string served, Exchange(client, "", "\n"));
    EXPECT_THAT(served, testing::EndsWith(fmt::format(" {}\n", i)));
  }
}

// Mount points below /proc, and which of them are read-only.
std::vector<std::string> MountsOfProc(int pid) {
  std::vector<std::string> told;
  const auto mounts = agent::ParseMountInfo(agent::ProcReader().MountInfo(pid).value_or(""));
  for (const agent::MountEntry& mount : *mounts) {
    if (mount.mount_point.starts_with("/proc")) {
      const bool fixed = mount.options.starts_with("ro");
      told.push_back(mount.mount_point + (fixed ? " ro" : " rw"));
    }
  }
  return told;
}

// W21
TEST_F(WorkloadsTest, WhatWasRestoredIsCapturedAndRestoredAgain) {
  ASSERT_OK_AND_ASSIGN(const auto source,
                       StartServer("first", {"serve=0.0.0.0", "pair=127.0.0.1"}));
  ASSERT_OK_AND_ASSIGN(const json::Value before, Ask(source));
  const auto mounts = MountsOfProc(PidOf("first"));
  ASSERT_OK_AND_ASSIGN(const auto second, Move(source, "second"));
  ASSERT_OK(Ask(second).status());
  ASSERT_OK_AND_ASSIGN(const auto third, Move(second, "third"));
  ASSERT_OK_AND_ASSIGN(const json::Value after, Ask(third));
  EXPECT_EQ(Text(after, "token"), Text(before, "token"));
  EXPECT_EQ(Text(after, "deleted"), Text(before, "token"));
  EXPECT_EQ(Text(after, "listener"), Text(before, "listener"));
  EXPECT_EQ(Number(after, "requests"), 3);
  EXPECT_EQ(Number(after, "notices"), 3);
  EXPECT_EQ(Number(after, "echoes"), 6);
  // It sees its own processes, and no more of the machine than before.
  ASSERT_OK_AND_ASSIGN(const auto processes, agent::ContainerProcesses({}, PidOf("third")));
  ASSERT_EQ(agent::NestedRoots(processes).size(), 1U);
  const int pid = agent::NestedRoots(processes).front().pid;
  EXPECT_EQ(*RealFileSystem().Read(fmt::format("/proc/{}/root/proc/1/comm", pid), 100), "server\n");
  EXPECT_THAT(mounts, testing::SizeIs(testing::Gt(3U)));
  EXPECT_THAT(MountsOfProc(pid), testing::UnorderedElementsAreArray(mounts));
}

// W22: the pod's first process is neither the one that waits nor above what is restored.
TEST_F(WorkloadsTest, ComeBackInAPodThatSharesItsProcesses) {
  ASSERT_OK_AND_ASSIGN(const auto source, StartServer("source", {"pair=127.0.0.1"}));
  ASSERT_OK_AND_ASSIGN(const json::Value before, Ask(source));
  ASSERT_OK(Capture("source", "snap").status());
  ASSERT_OK(StartPlaceholder("pause").status());
  const int pause = PidOf("pause");
  runc_->Use({.processes = fmt::format("/proc/{}/ns/pid", pause)});
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("placeholder"));
  const int waits = PidOf("placeholder");
  ASSERT_OK_AND_ASSIGN(const auto first, Restore("placeholder", "snap"));
  const agent::ProcReader proc;
  EXPECT_EQ(*proc.NamespaceInode(first.pid, "net"), *proc.NamespaceInode(waits, "net"));
  EXPECT_EQ(*proc.DescriptorTarget(first.pid, 1), *proc.DescriptorTarget(waits, 1));
  EXPECT_NE(*proc.DescriptorTarget(first.pid, 1), *proc.DescriptorTarget(pause, 1));
  EXPECT_EQ(proc.Process(first.pid)->parent, pause) << "else this shows nothing";
  // Once more in the same container: the first one is found and goes.
  ASSERT_OK_AND_ASSIGN(const auto second, Restore("placeholder", "snap"));
  ASSERT_OK_AND_ASSIGN(const auto processes, agent::ContainerProcesses({}, waits));
  ASSERT_EQ(agent::NestedRoots(processes).size(), 1U);
  EXPECT_EQ(agent::NestedRoots(processes).front().pid, second.pid);
  EXPECT_TRUE(proc.Process(pause).ok());
  ASSERT_OK_AND_ASSIGN(const json::Value after, Ask(placeholder));
  EXPECT_EQ(Text(after, "token"), Text(before, "token"));
  EXPECT_EQ(Number(after, "echoes"), 4);
}

// Counts its requests and its own seconds on another thread; what it was told is nowhere else.
constexpr const char* kPythonServer = R"(
import hashlib, http.server, os, threading
token, told, ticks, pause = os.urandom(8).hex(), {}, [0], threading.Event()
def tick():
    while True:
        pause.wait(0.01)
        ticks[0] += 1
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.0'
    def answer(self, text):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text.encode())
    def do_PUT(self):
        told[self.path] = self.rfile.read(int(self.headers['Content-Length'])).decode()
        self.answer('ok')
    def do_GET(self):
        known = hashlib.sha256(repr(sorted(told.items())).encode()).hexdigest()
        self.answer(f'{token} {len(told)} {known} {ticks[0]}')
threading.Thread(target=tick, daemon=True).start()
http.server.ThreadingHTTPServer(('0.0.0.0', 8000), Handler).serve_forever()
)";

class PythonTest : public WorkloadsTest {
 protected:
  static constexpr uint16_t kPort = 8000;  // in a network namespace of its own

  Result<std::string> Request(const std::string& container, const std::string& text) {
    ASSIGN_OR_RETURN(const UniqueFd connection, ConnectIn(PidOf(container), "127.0.0.1", kPort));
    ASSIGN_OR_RETURN(const std::string answer, Exchange(connection, text, ""));
    const size_t body = answer.find("\r\n\r\n");
    return body == std::string::npos ? Result<std::string>(InternalError(answer))
                                     : answer.substr(body + 4);
  }
  Result<std::vector<std::string>> Ask(const std::string& container) {
    ASSIGN_OR_RETURN(const std::string said, Request(container, "GET / HTTP/1.0\r\n\r\n"));
    std::vector<std::string> words;
    for (const std::string_view word : Split(said, ' ')) {
      words.emplace_back(word);
    }
    return words.size() == 4 ? Result<std::vector<std::string>>(words) : InternalError(said);
  }
};

TEST_F(PythonTest, AnHttpServerAnswersOn) {
  runc_->Use({.system_programs = true});
  ASSERT_OK_AND_ASSIGN(const auto source,
                       rig_->Start("python", {"/usr/bin/python3", "-c", kPythonServer}));
  for (int i = 0; i < 10; ++i) {
    const std::string body(1000, static_cast<char>('a' + i));
    EXPECT_OK(Request("python", fmt::format("PUT /{} HTTP/1.0\r\nContent-Length: {}\r\n\r\n{}", i,
                                            body.size(), body))
                  .status());
  }
  ASSERT_OK_AND_ASSIGN(const auto before, Ask("python"));
  EXPECT_EQ(before[1], "10");
  ASSERT_OK(Move(source, "python-again").status());
  ASSERT_OK_AND_ASSIGN(auto after, Ask("python-again"));
  EXPECT_EQ(after[0], before[0]) << "its token";
  EXPECT_EQ(after[1], before[1]);
  EXPECT_EQ(after[2], before[2]) << "what it was told";
  EXPECT_GE(std::stol(after[3]), std::stol(before[3]));
  EXPECT_OK(Request("python-again", "PUT /more HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi").status());
  ASSERT_OK_AND_ASSIGN(after, Ask("python-again"));
  EXPECT_EQ(after[1], "11");
}

class RedisTest : public WorkloadsTest {
 protected:
  Result<std::string> Ask(const std::string& container, const std::string& command) {
    ASSIGN_OR_RETURN(const UniqueFd connection, ConnectIn(PidOf(container), "127.0.0.1", 6379));
    ASSIGN_OR_RETURN(const std::string answer, Exchange(connection, command + "\r\n", "\r\n"));
    return std::string(Trim(answer));
  }
};

TEST_F(RedisTest, AMillionKeysAreThere) {
  runc_->Use({.system_programs = true});
  // The server is the checker under its other name.
  std::filesystem::create_symlink("/usr/bin/redis-check-rdb",
                                  rig_->directory() / "lower/bin/redis-server");
  ASSERT_OK_AND_ASSIGN(const auto source,
                       rig_->Start("redis", {"/bin/redis-server", "--save", "", "--appendonly",
                                             "no", "--enable-debug-command", "yes"}));
  ASSERT_OK_AND_ASSIGN(const std::string filled, Ask("redis", "DEBUG POPULATE 1000000 key 32"));
  ASSERT_EQ(filled, "+OK");
  ASSERT_OK(Ask("redis", "SET greeting hello").status());
  ASSERT_OK_AND_ASSIGN(const std::string before, Ask("redis", "DEBUG DIGEST"));
  ASSERT_OK(Move(source, "redis-again").status());
  ASSERT_OK_AND_ASSIGN(const std::string size, Ask("redis-again", "DBSIZE"));
  EXPECT_EQ(size, ":1000001");
  ASSERT_OK_AND_ASSIGN(const std::string after, Ask("redis-again", "DEBUG DIGEST"));
  EXPECT_EQ(after, before);
  ASSERT_OK_AND_ASSIGN(const std::string set, Ask("redis-again", "SET more after"));
  EXPECT_EQ(set, "+OK");
  ASSERT_OK_AND_ASSIGN(const std::string runs, Ask("redis-again", "INCR counter"));
  EXPECT_EQ(runs, ":1");
}

}  // namespace
}  // namespace hearth::node
