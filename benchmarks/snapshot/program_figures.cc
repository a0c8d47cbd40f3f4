#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "agent/cri/testing/cri_stand_in.h"
#include "agent_figures.h"
#include "base/file_system.h"
#include "base/process_runner.h"
#include "controller/testing/memory_api.h"
#include "http/server.h"
#include "names.h"
#include "net/event_loop.h"
#include "scratch.h"

namespace hearth::bench {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);
constexpr Duration kLookAgain = std::chrono::milliseconds(1);
// After what it does at its start.
constexpr Duration kIdle = std::chrono::seconds(3);

Status Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return file ? Status::Ok() : UnavailableError("cannot write " + path);
}

std::string Kubeconfig(uint16_t port) {
  return fmt::format(R"(apiVersion: v1
kind: Config
current-context: bench
clusters: [{{name: bench, cluster: {{server: "http://127.0.0.1:{}"}}}}]
users: [{{name: bench, user: {{token: bench}}}}]
contexts: [{{name: bench, context: {{cluster: bench, user: bench, namespace: bench}}}}]
)",
                     port);
}

Result<double> ResidentBytes(int pid) {
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  double all = 0;
  double resident = 0;
  if (!(file >> all >> resident)) {
    return UnavailableError("the agent has ended");
  }
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

Status Await(const std::atomic<int>& count, int wanted, const std::string& what) {
  const WaitLimit limit = WaitLimit::For(RealClock(), kPatience);
  while (count < wanted) {
    RETURN_IF_ERROR(limit.Check(RealClock(), what));
    static_cast<void>(SleepFor(RealClock(), kLookAgain, {}));
  }
  return Status::Ok();
}

Status MeasureOnce(const Plan& plan, const std::string& directory, uint16_t port,
                   const std::string& cri_socket, std::atomic<int>& requests, Figures& figures) {
  RETURN_IF_ERROR(Write(directory + "/kubeconfig", Kubeconfig(port)));
  requests = 0;
  const SteadyTime begin = RealClock().Now();
  ASSIGN_OR_RETURN(ChildProcess agent, ChildProcess::Start({.argv = {plan.programs.snapshot_agent,
                                                                     "--node-name",
                                                                     "node",
                                                                     "--namespace",
                                                                     "bench",
                                                                     "--kubeconfig",
                                                                     directory + "/kubeconfig",
                                                                     "--storage-directory",
                                                                     directory + "/checkpoints",
                                                                     "--binaries",
                                                                     plan.programs.criu,
                                                                     "--host-proc",
                                                                     "/proc",
                                                                     "--runtime-socket",
                                                                     cri_socket,
                                                                     "--journal-directory",
                                                                     directory + "/journal",
                                                                     "--health-address",
                                                                     "",
                                                                     "--config",
                                                                     directory + "/none.yaml"},
                                                            .log_path = directory + "/agent.log"}));
  const Status asked = Await(requests, 1, "the first request of the agent");
  if (!asked.ok()) {
    return asked.WithContext(
        RealFileSystem().Read(directory + "/agent.log", 1 << 20).value_or("no log"));
  }
  const double started = SecondsSince(begin);
  static_cast<void>(SleepFor(RealClock(), kIdle, {}));
  const auto resident = ResidentBytes(agent.pid());
  agent.Stop(std::chrono::seconds(5));
  RETURN_IF_ERROR(resident.status());
  figures.Add(figure::kAgentStart, started);
  figures.Add(figure::kAgentMemory, *resident);
  return Status::Ok();
}

}  // namespace

Status MeasureProgram(const Plan& plan, Figures& figures) {
  ASSIGN_OR_RETURN(const Scratch scratch, Scratch::Make(plan.directory));
  const std::string directory = scratch / "agent";
  std::filesystem::create_directories(directory + "/checkpoints");
  // Names of sockets are short.
  const std::string socket = (std::filesystem::temp_directory_path() / "cri.sock").string();
  const agent::CriStandIn runtime(socket);
  net::EventLoop loop("api");
  controller::MemoryApi api;
  std::atomic<int> requests = 0;
  const http::StreamingHandler answer = api.Handler();
  http::ServerOptions options;
  options.listen = {.host = "127.0.0.1", .port = 0};
  options.loopback_only = true;
  options.workers = 16;
  ASSIGN_OR_RETURN(const auto server,
                   http::Server::StartStreaming(loop, options,
                                                [&](http::ServerRequest request,
                                                    std::unique_ptr<http::ResponseWriter> writer) {
                                                  ++requests;
                                                  answer(std::move(request), std::move(writer));
                                                }));
  for (size_t round = 0; round < plan.rounds; ++round) {
    std::cerr << fmt::format("bench: round {}, the agent's program\n", round + 1);
    RETURN_IF_ERROR(
        MeasureOnce(plan, directory, server->endpoint().port, socket, requests, figures));
  }
  return Status::Ok();
}

}  // namespace hearth::bench
