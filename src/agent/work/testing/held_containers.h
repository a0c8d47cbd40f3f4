#pragma once

#include <map>
#include <memory>
#include <string>

#include "agent/container/container.h"
#include "agent/cri/testing/cri_stand_in.h"
#include "base/process_runner.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {

// A runtime whose containers are processes that sleep: what is asked goes over the Container
// Runtime Interface, as in production, and what is killed is dead. Not thread-safe.
class HeldContainers {
 public:
  HeldContainers();

  // Of pod `in_pod`; returns its process.
  int Start(const std::string& id, const PodContainer& in_pod = {"u1", "p1", "team", "main"});
  // The container has ended, and the runtime knows it.
  void End(const std::string& id);
  bool Runs(const std::string& id);      // its process
  bool AwaitEnd(const std::string& id);  // of its process; false when it does not come

  CriStandIn& server() { return server_; }
  ContainerRuntime& runtime() { return *runtime_; }
  const TempDirectory& directory() const { return directory_; }

 private:
  void Hold(const std::string& id, ContainerState state);

  struct Held {
    ChildProcess process;
    PodContainer in_pod;
  };
  TempDirectory directory_;
  CriStandIn server_;
  std::unique_ptr<ContainerRuntime> runtime_;
  std::map<std::string, Held> held_;
};

}  // namespace hearth::agent
