#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <thread>

#include "agent/cri/cri_runtime.h"
#include "agent/cri/testing/cri_stand_in.h"
#include "agent/node/agent.h"
#include "agent/node/testing/cluster.h"
#include "agent/work/real_work.h"
#include "agent_figures.h"
#include "controller/testing/memory_api.h"
#include "kube/client/transport.h"
#include "names.h"
#include "net/event_loop.h"
#include "program_starts.h"

namespace hearth::bench {
namespace {

constexpr const char* kNode = "node";
constexpr const char* kNamespace = "bench";
constexpr const char* kSource = "captured";

WaitLimit Soon() { return WaitLimit::For(RealClock(), std::chrono::seconds(30)); }

// An agent as a node has it, with an API server in memory and a container runtime that answers over
// CRI at once: what is left is the agent's own.
class AgentAtWork {
 public:
  AgentAtWork(const Plan& plan, Stage& stage)
      : server_(stage.directory() + "/cri.sock"),
        transport_(kube::MakeHandlerTransport(loop_, api_.Handler())),
        cluster_(*transport_, kNamespace, kNode),
        plan_(plan),
        stage_(stage) {}
  ~AgentAtWork() {
    stop_.request_stop();
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  AgentAtWork(const AgentAtWork&) = delete;
  AgentAtWork& operator=(const AgentAtWork&) = delete;

  Status Start() {
    ASSIGN_OR_RETURN(runtime_, agent::MakeCriRuntime({.socket = server_.socket()}, RealClock()));
    agent::RealWorkOptions options{.node = kNode,
                                   .journal_directory = stage_.directory() + "/journal",
                                   .bundle = plan_.programs.criu,
                                   .nsrestore = plan_.programs.nsrestore,
                                   .storage_directory = stage_.directory() + "/storage"};
    options.criu.manage_cgroups = "ignore";
    ASSIGN_OR_RETURN(work_, agent::MakeRealWork(options, {.runtime = *runtime_,
                                                          .files = RealFileSystem(),
                                                          .clock = RealClock()}));
    controller::ManagerOptions manager;
    manager.name = "snapshot";
    manager.log_level = "error";
    manager_ = controller::Manager::CreateWith(manager, *transport_, manager.MakeLogger());
    agent::node::AgentOptions agent;
    agent.node = kNode;
    agent.name_space = kNamespace;
    agent.identity = "bench";
    agent.needs_pod_ip = false;
    ASSIGN_OR_RETURN(agent_, agent::node::Agent::Create(*manager_, *work_, agent));
    thread_ = std::thread([this] { ended_ = manager_->Run(stop_.get_token()); });
    return Status::Ok();
  }

  Status Hold(const Stage::Container& container) {
    ASSIGN_OR_RETURN(std::string info, stage_.CriInfoOf(container));
    server_.Hold({.id = container.id,
                  .labels = {{"io.kubernetes.pod.name", "pod"}},
                  .image = "image:1",
                  .info = std::move(info)});
    return Status::Ok();
  }

  // Seconds from the order until CRIU starts; returns when the snapshot is there.
  Result<double> Capture(const Stage::Container& container, size_t number, ProgramStarts& starts) {
    const std::string name = fmt::format("event-{}", number);
    const auto pod = cluster_.CreateSource(name, name);
    cluster_.Run(name, {{.name = "main", .id = container.id}});
    if (!cluster_.AwaitPod(name, [](const auto& facts) { return !facts.containers.empty(); })) {
      return InternalError("the pod of a capture is not there");
    }
    starts.Forget();
    const SteadyTime begin = RealClock().Now();
    cluster_.CreateContent(name, pod);
    ASSIGN_OR_RETURN(const SteadyTime started, starts.Await(Soon()));
    if (!cluster_.AwaitReady(name)) {
      return InternalError("an ordered capture failed: " + cluster_.FailedReason(name));
    }
    cluster_.DeletePod(name);
    return std::chrono::duration<double>(started - begin).count();
  }

 private:
  agent::CriStandIn server_;
  net::EventLoop loop_{"api"};
  controller::MemoryApi api_;
  std::unique_ptr<kube::Transport> transport_;
  agent::node::Cluster cluster_;
  const Plan& plan_;
  Stage& stage_;
  std::unique_ptr<agent::ContainerRuntime> runtime_;
  std::unique_ptr<agent::node::NodeWork> work_;
  std::unique_ptr<controller::Manager> manager_;
  std::unique_ptr<agent::node::Agent> agent_;  // goes before the manager
  std::stop_source stop_;
  Status ended_;
  std::thread thread_;
};

}  // namespace

Status MeasureEvents(const Plan& plan, Stage& stage, Figures& figures) {
  ASSIGN_OR_RETURN(const Stage::Container source,
                   stage.StartSubject(kSource, {.own_mebibytes = 1}));
  const auto measure = [&]() -> Status {
    ASSIGN_OR_RETURN(ProgramStarts starts, ProgramStarts::Watch(stage.criu()));
    AgentAtWork agent(plan, stage);
    RETURN_IF_ERROR(agent.Start());
    RETURN_IF_ERROR(agent.Hold(source));
    // The first one also asks what this node is, once for all.
    RETURN_IF_ERROR(agent.Capture(source, 0, starts).status());
    for (size_t round = 0; round < plan.rounds; ++round) {
      std::cerr << fmt::format("bench: round {}, events\n", round + 1);
      std::vector<double> seconds;
      for (size_t i = 0; i < plan.events; ++i) {
        ASSIGN_OR_RETURN(const double one,
                         agent.Capture(source, 1 + round * plan.events + i, starts));
        seconds.push_back(one);
      }
      figures.Add(figure::kEventToCriu, Quantile(seconds, 0.99));
      figures.Add(figure::kEventToCriuMedian, Quantile(seconds, 0.5));
    }
    return Status::Ok();
  };
  Status measured = measure();
  stage.Kill(source);
  return measured;
}

}  // namespace hearth::bench
