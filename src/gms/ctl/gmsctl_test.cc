// gmsctl against a real server.
#include "gms/ctl/gmsctl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <thread>

#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "command_line/completion.h"
#include "gms/ctl/exit_codes.h"
#include "gms/ctl/testing/run_gmsctl.h"
#include "gms/device/host_device.h"
#include "gms/server/testing/server_rig.h"

namespace hearth::gms::ctl {
namespace {

using command_line::kExitOk;
using command_line::kExitUsage;
using json::Value;
using server::ServerRig;
using server::TestClient;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// With the server's directory where the command wants it.
Ran Ctl(const ServerRig& rig, std::vector<std::string> arguments, bool interactive = false,
        std::stop_token stop = {}) {
  arguments.insert(arguments.end(), {"--socket-dir", rig.directory()});
  return RunGmsctl(arguments, interactive, std::move(stop));
}

std::vector<Value> JsonLines(const std::string& text) {
  std::vector<Value> lines;
  for (const std::string_view line : Split(Trim(text), '\n')) {
    lines.push_back(Ran{.out = std::string(line)}.Json());
  }
  return lines;
}

TEST(Gmsctl, StatusTellsServerDevicesAndPools) {
  ServerRig rig({.devices = 2, .options = {.version = "1.2.3"}});
  rig.Publish(3);
  const Ran text = Ctl(rig, {"status"});
  EXPECT_EQ(text.code, kExitOk) << text.err;
  EXPECT_THAT(text.out, StartsWith("gms-server 1.2.3, pid "));
  EXPECT_THAT(text.out, AllOf(HasSubstr("sockets in " + rig.directory()),
                              HasSubstr("     1  host  GPU-test-1     0 B     1 MiB  1 MiB"),
                              HasSubstr("     0  weights   COMMITTED")));
  const Value json = Ctl(rig, {"status", "-o", "json", "--device", "1"}).Json();
  ASSERT_THAT(json.Find("domains")->items(), SizeIs(2));
  EXPECT_EQ(json.Find("domains")->items()[0].Find("gpu_uuid")->string(), "GPU-test-1");
}

TEST(Gmsctl, TopShowsSessionsOnceAnIntervalUntilTheCountIsReached) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.LockExtended("ro"));
  TestClient writer = rig.Connect();
  writer.Ask("rw");
  ASSERT_TRUE(rig.WritersWait(1));
  const Ran plain = Ctl(rig, {"top", "--count", "2", "--interval", "1ms"});
  EXPECT_EQ(plain.code, kExitOk) << plain.err;
  EXPECT_THAT(plain.out, AllOf(HasSubstr("  test "), HasSubstr("waits for rw")));
  EXPECT_EQ(plain.out.find('\x1b'), std::string::npos);
  EXPECT_NE(plain.out.find("SESSION"), plain.out.rfind("SESSION")) << "two tables";
  const std::vector<Value> lines =
      JsonLines(Ctl(rig, {"top", "-n", "2", "-i", "1ms", "-o", "json"}).out);
  ASSERT_THAT(lines, SizeIs(2));
  ASSERT_THAT(lines[1].Find("sessions")->items(), SizeIs(2));
  EXPECT_EQ(lines[1].Find("sessions")->items()[0].Find("grant")->string(), "ro");
}

TEST(Gmsctl, TopDrawsOverItselfOnATerminalAndEndsWhenStopped) {
  ServerRig rig;
  std::stop_source stop;
  EXPECT_THAT(Ctl(rig, {"top", "-n", "1"}, true).out, StartsWith("\x1b[H\x1b[J"));
  stop.request_stop();
  EXPECT_EQ(Ctl(rig, {"top"}, true, stop.get_token()).code, kExitOk);
}

TEST(Gmsctl, LsListsTensors) {
  ServerRig rig;
  EXPECT_EQ(Ctl(rig, {"ls"}).out, "Nothing is committed.\n");
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  ASSERT_OK_AND_ASSIGN(const auto one, writer.Allocate(100, "weights", "alloc-one"));
  ASSERT_OK(writer.Put("layers.0.weight", one.allocation_id, 0,
                       R"({"dtype":"torch.int8","shape":[10,10]})"));
  ASSERT_OK(writer.Allocate(5000, "spare", "alloc-two"));
  ASSERT_OK(writer.Commit());
  const Ran text = Ctl(rig, {"ls"});
  EXPECT_EQ(text.code, kExitOk) << text.err;
  EXPECT_THAT(text.out,
              StartsWith("device 0 weights: generation 1, 12 KiB in 2 allocations, layout "));
  EXPECT_THAT(text.out,
              HasSubstr("TENSOR           TYPE  SHAPE     ALLOCATION  OFFSET       OF  TAG\n"
                        "layers.0.weight  int8  [10, 10]  alloc-one        0    100 B  weights\n"
                        "-                -     -         alloc-two        -  4.9 KiB  spare\n"));
  const Value json = Ctl(rig, {"ls", "layers.", "-o", "json"}).Json();
  EXPECT_THAT(json.Find("allocations")->items(), SizeIs(1));
  EXPECT_EQ(json.FindPath("tensors")->items()[0].Find("value")->Find("dtype")->string(),
            "torch.int8");
  EXPECT_TRUE(rig.BecomesState("COMMITTED")) << "the lease is given back";
}

TEST(Gmsctl, LsSaysWhoIsInTheWay) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  TestClient writer = rig.Connect();
  writer.Ask("rw");
  ASSERT_TRUE(rig.WritersWait(1));
  const Ran ran = Ctl(rig, {"ls", "--timeout", "500ms"});
  EXPECT_EQ(ran.code, kExitFailed);
  EXPECT_THAT(ran.err, HasSubstr("no reader's lease within 500ms: somebody writes or waits to"));
}

TEST(Gmsctl, EventsAreShownAndFollowed) {
  ServerRig rig;
  rig.Publish(2);
  const Ran text = Ctl(rig, {"events"});
  EXPECT_EQ(text.code, kExitOk) << text.err;
  EXPECT_THAT(text.out,
              StartsWith("NUMBER  TIME                     EVENT                GENERATION"
                         "  ALLOCATIONS\n     1  20"));
  EXPECT_THAT(text.out, HasSubstr("  committed                     1            0\n"));
  std::vector<Value> lines = JsonLines(Ctl(rig, {"events", "-o", "json", "--after", "1"}).out);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0].Find("kind")->string(), "committed");
  EXPECT_GT(lines[0].Find("at_ms")->Int().value_or(0), 1'600'000'000'000);

  Ran followed;
  std::thread follower([&] {
    followed = Ctl(rig, {"events", "--follow", "--count", "4", "-o", "json"});
  });
  TestClient writer = rig.Connect();
  EXPECT_OK(writer.Lock("rw"));
  writer.Close();
  follower.join();
  lines = JsonLines(followed.out);
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[2].Find("kind")->string(), "rw_connected");
  EXPECT_EQ(lines[3].Find("kind")->string(), "rw_aborted");
}

TEST(Gmsctl, FollowingEndsWhenStopped) {
  ServerRig rig;
  std::stop_source stop;
  stop.request_stop();
  // Connecting is refused, too, when told to stop; both are an end as asked for.
  const Ran ran = Ctl(rig, {"events", "--follow"}, false, stop.get_token());
  EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("committed")));
}

TEST(Gmsctl, EvictEndsASession) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  const std::string session = std::to_string(rig.Status().domains[0].sessions[0].session);
  const Ran ran = Ctl(rig, {"evict", session});
  EXPECT_EQ(ran.code, kExitOk) << ran.err;
  EXPECT_EQ(ran.out, "session " + session + " is evicted\n");
  EXPECT_TRUE(reader.Ended());
  const Ran again = Ctl(rig, {"evict", session});
  EXPECT_EQ(again.code, kExitNo);
  EXPECT_THAT(again.err, HasSubstr("no session " + session));
  const Ran json = Ctl(rig, {"evict", session, "-o", "json"});
  EXPECT_EQ(json.code, kExitNo);
  EXPECT_EQ(json.out, "{\"session\":" + session + ",\"evicted\":false}\n");
  EXPECT_EQ(Ctl(rig, {"evict", "first"}).code, kExitUsage);
}

TEST(Gmsctl, TheFenceDoesNotGoUpWhileSomebodyHoldsALeaseAndItTellsWhatToDo) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  const Ran refused = Ctl(rig, {"fence", "prepare"});
  EXPECT_EQ(refused.code, kExitFailed);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("weights has active or waiting sessions"),
                                 HasSubstr("gmsctl top"), HasSubstr("sleeps")));
  reader.Close();
  EXPECT_TRUE(ServerRig::Eventually([&] {
    return Ctl(rig, {"fence", "prepare"}).code == kExitOk;
  }));
  EXPECT_THAT(Ctl(rig, {"fence", "abort", "--token", "another"}).err, Not(HasSubstr("sleeps")));
}

TEST(Gmsctl, TheFenceGoesUpAndDown) {
  ServerRig rig;
  rig.Publish();
  EXPECT_EQ(Ctl(rig, {"fence", "status"}).out, "device 0: serving\n");
  const Value up = Ctl(rig, {"fence", "prepare", "-o", "json"}).Json();
  EXPECT_EQ(up.Find("state")->string(), "checkpoint_ready");
  const std::string token = up.Find("token")->string();
  EXPECT_THAT(Ctl(rig, {"fence", "status"}).out, StartsWith("device 0: checkpoint_ready"));
  EXPECT_THAT(Ctl(rig, {"status"}).out, HasSubstr("checkpoint_ready"));
  const Ran kept_out = Ctl(rig, {"ls"});
  EXPECT_EQ(kept_out.code, kExitFailed);
  EXPECT_THAT(kept_out.err, AllOf(HasSubstr("fenced for checkpoint"), HasSubstr("fence abort"),
                                  Not(HasSubstr("start one"))));
  const Ran refused = Ctl(rig, {"fence", "abort", "--token", "another"});
  EXPECT_EQ(refused.code, kExitFailed);
  EXPECT_THAT(refused.err, StartsWith("gmsctl fence: "));
  EXPECT_EQ(Ctl(rig, {"fence", "abort", "--token", token}).out, "device 0: serving\n");
  const std::string second =
      Ctl(rig, {"fence", "prepare", "-o", "json"}).Json().Find("token")->string();
  EXPECT_EQ(Ctl(rig, {"fence", "complete", "--token", second}).out, "device 0: serving\n");
  const Ran without = Ctl(rig, {"fence", "abort"});
  EXPECT_EQ(without.code, kExitUsage);
  EXPECT_THAT(without.err, HasSubstr("abort wants --token"));
}

TEST(Gmsctl, MetricsAreTextOrSamples) {
  ServerRig rig;
  rig.Publish(2);
  EXPECT_THAT(Ctl(rig, {"metrics"}).out,
              HasSubstr("gms_bytes{domain=\"weights\",gpu_uuid=\"GPU-test-0\"} 8192\n"));
  const Value json = Ctl(rig, {"metrics", "-o", "json"}).Json();
  bool found = false;
  for (const Value& sample : json.Find("samples")->items()) {
    found = found || (sample.Find("name")->string() == "gms_bytes" &&
                      sample.FindPath("labels.domain")->string() == "weights" &&
                      sample.Find("value")->string() == "8192");
  }
  EXPECT_TRUE(found) << json.Write();
}

TEST(Gmsctl, BenchMeasuresWhatThereIs) {
  ServerRig rig;
  const Value empty = Ctl(rig, {"bench", "--rounds", "5", "-o", "json"}).Json();
  EXPECT_THAT(empty.Find("figures")->items(), SizeIs(2));
  rig.Publish(3);
  const Value json = Ctl(rig, {"bench", "--rounds", "20", "-o", "json"}).Json();
  ASSERT_THAT(json.Find("figures")->items(), SizeIs(4));
  EXPECT_EQ(json.Find("figures")->items()[3].Find("what")->string(), "map");
  EXPECT_EQ(json.Find("figures")->items()[3].Find("rounds")->Int(), 2);
  const Ran text = Ctl(rig, {"bench", "--rounds", "5"});
  EXPECT_THAT(text.out,
              AllOf(StartsWith("device 0 weights: "), HasSubstr("3 allocations, 12 KiB\n"),
                    HasSubstr("round trip"), HasSubstr(" us")));
  EXPECT_TRUE(rig.BecomesState("COMMITTED"));
}

TEST(Gmsctl, WithoutAServerItSaysHowToStartOne) {
  const TempDirectory directory;
  for (const char* command : {"status", "top", "ls", "events", "metrics", "bench"}) {
    const Ran ran = RunGmsctl({command, "--socket-dir", directory.path()});
    EXPECT_EQ(ran.code, kExitFailed);
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, AllOf(StartsWith("gmsctl " + std::string(command) + ": "),
                               HasSubstr(directory.path() + "/gms_admin.sock"),
                               HasSubstr("No such file or directory"),
                               HasSubstr("gms-server --socket-dir " + directory.path()),
                               HasSubstr("GMS_SOCKET_DIR")));
  }
}

// One more server in the folder of another one, as deployments with one for each device have it.
class SecondServer {
 public:
  SecondServer(const ServerRig& rig, int ordinal) : SecondServer(rig, HostDevice(ordinal), true) {}
  SecondServer(const ServerRig& rig, server::DeviceSetup device, bool number_links) {
    std::vector<server::DeviceSetup> devices;
    devices.push_back(std::move(device));
    auto server =
        server::Server::Create({.directory = rig.directory(), .ordinal_links = number_links},
                               std::move(devices), Logger::Null());
    CHECK(server.ok()) << server.status().ToString();
    server_ = *std::move(server);
    listening_ = server_->Listen();
    thread_ = std::thread([this] { (void)server_->Run(); });
  }
  ~SecondServer() {
    server_->Stop();
    thread_.join();
  }
  const Status& listening() const { return listening_; }
  static server::DeviceSetup HostDevice(int ordinal) { return ServerRig::HostDevice(ordinal); }

 private:
  std::unique_ptr<server::Server> server_;
  Status listening_;
  std::thread thread_;
};

TEST(Gmsctl, AllServersOfAFolderAreShown) {
  ServerRig rig;
  const SecondServer second(rig, 1);
  ASSERT_OK(second.listening());
  const Ran text = Ctl(rig, {"status"});
  EXPECT_EQ(text.code, kExitOk) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("GPU-test-0"), HasSubstr("GPU-test-1")));
  EXPECT_THAT(JsonLines(Ctl(rig, {"status", "-o", "json"}).out), SizeIs(2));
  EXPECT_THAT(JsonLines(Ctl(rig, {"top", "-n", "2", "-i", "1ms", "-o", "json"}).out), SizeIs(4));
  const Ran one = Ctl(rig, {"status", "--device", "1"});
  EXPECT_THAT(one.out, AllOf(HasSubstr("GPU-test-1"), Not(HasSubstr("GPU-test-0"))));
  EXPECT_EQ(Ctl(rig, {"fence", "status", "--device", "1"}).out, "device 1: serving\n");
  EXPECT_EQ(Ctl(rig, {"bench", "-n", "1", "--device", "1"}).code, kExitOk);
  EXPECT_THAT(Ctl(rig, {"events", "--device", "4"}).err,
              HasSubstr("device 0 kv_cache, device 1 weights"));
}

TEST(Gmsctl, WhatIsOfOneServerWantsToKnowOfWhich) {
  ServerRig rig;
  const SecondServer second(rig, 1);
  ASSERT_OK(second.listening());
  TestClient here = rig.Connect();
  ASSERT_OK(here.Lock("rw"));
  TestClient there = rig.Connect("weights", 1);
  ASSERT_OK(there.Lock("rw"));  // the first session of both
  EXPECT_THAT(Ctl(rig, {"metrics"}).err, HasSubstr("--device"));
  EXPECT_THAT(Ctl(rig, {"metrics", "--device", "1"}).out, HasSubstr("gpu_uuid=\"GPU-test-1\""));
  EXPECT_THAT(Ctl(rig, {"evict", "1"}).err, HasSubstr("--device"));
  EXPECT_EQ(Ctl(rig, {"evict", "1", "--device", "1", "--domain", "kv_cache"}).code, kExitNo);
  EXPECT_EQ(Ctl(rig, {"evict", "1", "--device", "1"}).code, kExitOk);
  EXPECT_TRUE(there.Ended());
  EXPECT_EQ(Ctl(rig, {"evict", "1"}).code, kExitOk) << "one has it only";
  EXPECT_TRUE(here.Ended());
}

// In containers that see one device each, all have the number 0.
TEST(Gmsctl, OfSeveralServersWithTheSameMemoryOneMustBeChosen) {
  ServerRig rig;
  auto device = OpenHostDevice({.ordinal = 0,
                                .uuid = "GPU-b",
                                .budget_bytes = ServerRig::kDeviceBytes,
                                .granularity = ServerRig::kGranularity});
  ASSERT_OK(device);
  const SecondServer second(rig, {*std::move(device), true}, false);
  ASSERT_OK(second.listening());
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"fence", "status"}, {"events"}, {"bench", "-n", "1"}}) {
    const Ran ran = Ctl(rig, command);
    EXPECT_EQ(ran.code, kExitFailed);
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, AllOf(HasSubstr("2 servers are meant"), HasSubstr("--server"),
                               HasSubstr("gms_admin_0.sock")));
    std::vector<std::string> chosen = command;
    chosen.insert(chosen.end(), {"--server", "gms_admin_0.sock"});
    EXPECT_EQ(Ctl(rig, chosen).code, kExitOk) << Ctl(rig, chosen).err;
  }
  EXPECT_THAT(Ctl(rig, {"status", "--server", rig.directory() + "/gms_admin_0.sock"}).out,
              AllOf(HasSubstr("GPU-b"), Not(HasSubstr("GPU-test-0"))));
  EXPECT_THAT(Ctl(rig, {"status"}).out, HasSubstr("--server gms_admin_0.sock"));
  EXPECT_THAT(Ctl(rig, {"status", "--server", "gms_admin_7.sock"}).err,
              HasSubstr("gms_admin_7.sock: No such file"));
}

// Listens and says nothing.
class HangingServer {
 public:
  explicit HangingServer(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), path_(path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    CHECK(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    CHECK(::listen(socket_.get(), 64) == 0);
  }
  ~HangingServer() { ::unlink(path_.c_str()); }

 private:
  UniqueFd socket_;
  std::string path_;
};

TEST(Gmsctl, OneThatHangsIsNamedAndTheOthersAreShown) {
  ServerRig rig;
  rig.Publish();
  const std::string hangs = rig.directory() + "/gms_admin_3.sock";
  const HangingServer hanging(hangs);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"status"}, {"top", "-n", "1"}, {"ls"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--timeout", "2s"});
    const Ran ran = Ctl(rig, arguments);
    EXPECT_EQ(ran.code, kExitFailed) << "that is not all there is";
    EXPECT_THAT(ran.out, HasSubstr("weights"));
    EXPECT_THAT(ran.err, AllOf(HasSubstr(hangs), HasSubstr("does not answer")));
  }
  const Ran one = Ctl(rig, {"fence", "status", "--timeout", "2s"});
  EXPECT_EQ(one.code, kExitOk) << "what was asked for is there";
  EXPECT_EQ(one.out, "device 0: serving\n");
  const Ran absent = Ctl(rig, {"events", "--device", "3", "--timeout", "2s"});
  EXPECT_THAT(absent.err, AllOf(HasSubstr("it has device 0 weights"), HasSubstr(hangs)));
}

TEST(Gmsctl, ASocketThatAServerLeftBehindIsPassedOver) {
  ServerRig rig;
  {
    const HangingServer server(rig.directory() + "/x");
    std::filesystem::rename(rig.directory() + "/x", rig.directory() + "/gms_admin_3.sock");
  }
  const Ran ran = Ctl(rig, {"status"});
  EXPECT_EQ(ran.code, kExitOk);
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST(Gmsctl, WhereAllHangTheCauseIsTold) {
  const TempDirectory directory;
  const HangingServer hanging(directory / "gms_admin.sock");
  const Ran ran = RunGmsctl({"status", "--timeout", "50ms", "--socket-dir", directory.path()});
  EXPECT_EQ(ran.code, kExitFailed);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("hangs, or is no gms-server"), Not(HasSubstr("start one"))));
}

TEST(Gmsctl, AServerIsWaitedFor) {
  const TempDirectory directory;
  auto waits = std::async(std::launch::async, [&] {
    return RunGmsctl({"status", "--wait", "60s", "--socket-dir", directory.path()});
  });
  std::vector<server::DeviceSetup> devices;
  devices.push_back(ServerRig::HostDevice(0));
  auto server =
      server::Server::Create({.directory = directory.path()}, std::move(devices), Logger::Null());
  ASSERT_OK(server);
  ASSERT_OK((*server)->Listen());
  std::thread runs([&] { EXPECT_OK((*server)->Run()); });
  const Ran ran = waits.get();
  (*server)->Stop();
  runs.join();
  EXPECT_EQ(ran.code, kExitOk) << ran.err;
}

TEST(Gmsctl, AMemoryThatIsNotThereNamesThoseThatAre) {
  ServerRig rig;
  const Ran ran = Ctl(rig, {"events", "--device", "4"});
  EXPECT_EQ(ran.code, kExitFailed);
  EXPECT_THAT(ran.err, HasSubstr("it has device 0 weights, device 0 kv_cache"));
}

TEST(Gmsctl, EveryCommandDocumentsItsExitCodesAndTakesJson) {
  for (const command_line::CommandRow& row : Gmsctl().commands()) {
    if (row.name == "completion" || row.name == "help") {
      continue;
    }
    const std::string help = RunGmsctl({"help", std::string(row.name)}).out;
    EXPECT_THAT(help, AllOf(HasSubstr("Exit codes:\n  0  done\n"), HasSubstr("-o, --output")));
    EXPECT_THAT(command_line::BashCompletion(Gmsctl()), HasSubstr(std::string(row.name) + ")"));
  }
}

}  // namespace
}  // namespace hearth::gms::ctl
