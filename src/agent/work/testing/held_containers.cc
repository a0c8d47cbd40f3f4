#include "agent/work/testing/held_containers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agent/cri/cri_runtime.h"
#include "base/clock.h"

namespace hearth::agent {

using Phase = ContainerState::Phase;

HeldContainers::HeldContainers()
    : server_(directory_ / "cri.sock"),
      // A busy machine may keep the server from answering for long.
      runtime_(*MakeCriRuntime(
          {.socket = directory_ / "cri.sock", .connect_timeout = std::chrono::minutes(1)},
          RealClock())) {}

int HeldContainers::Start(const std::string& id, const PodContainer& in_pod) {
  auto process = ChildProcess::Start({.argv = {"sleep", "1000"}});
  EXPECT_TRUE(process.ok()) << process.status().ToString();
  const int pid = process->pid();
  held_.insert_or_assign(id, Held{*std::move(process), in_pod});
  Hold(id, {.phase = Phase::kRunning});
  return pid;
}

void HeldContainers::End(const std::string& id) {
  held_.at(id).process.Stop(Duration(0));
  Hold(id, {.phase = Phase::kExited, .exit_code = 137});
}

bool HeldContainers::Runs(const std::string& id) { return held_.at(id).process.Running(); }

bool HeldContainers::AwaitEnd(const std::string& id) {
  return held_.at(id).process.Wait(WaitLimit::For(RealClock(), std::chrono::seconds(30))).ok();
}

void HeldContainers::Hold(const std::string& id, ContainerState state) {
  const Held& held = held_.at(id);
  server_.Hold({.id = id,
                .state = std::move(state),
                .labels = {{"io.kubernetes.pod.uid", held.in_pod.pod_uid},
                           {"io.kubernetes.pod.name", held.in_pod.pod_name},
                           {"io.kubernetes.pod.namespace", held.in_pod.pod_namespace},
                           {"io.kubernetes.container.name", held.in_pod.name}},
                .image = "image:1",
                .info = fmt::format(R"({{"pid":{},"runtimeSpec":{{"ociVersion":"1.2.0","root":)"
                                    R"({{"path":"/root"}},"mounts":[],"linux":{{}}}}}})",
                                    held.process.pid())});
}

}  // namespace hearth::agent
