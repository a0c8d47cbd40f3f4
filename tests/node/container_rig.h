#pragma once

#include <string>
#include <vector>

#include "agent/container/container.h"
#include "base/result.h"
#include "base/testing/temp_directory.h"

namespace hearth::node {

// Containers for tests, each on an overlay of its own above one root that holds the workload and
// little else. Killed, unmounted and removed with the rig. Not thread-safe.
class ContainerRig {
 public:
  virtual ~ContainerRig() = default;
  ContainerRig(const ContainerRig&) = delete;
  ContainerRig& operator=(const ContainerRig&) = delete;

  struct Started {
    std::string id;
    std::string upper;    // its changed files
    std::string control;  // its control directory, from outside
    std::string socket;   // the workload's, from outside
  };
  // Runs `argv` in a container of that name; its output goes to a file.
  virtual Result<Started> Start(const std::string& name, const std::vector<std::string>& argv) = 0;
  virtual void Kill(const Started& container) = 0;
  // Who finds these containers, as production does.
  virtual agent::ContainerRuntime& runtime() = 0;

  // The workload with that much memory and that many threads.
  Result<Started> StartWorkload(const std::string& name, int mebibytes, int threads);
  const TempDirectory& directory() const { return directory_; }

 protected:
  ContainerRig();
  // The files that containers begin with.
  std::string root_files() const { return directory_ / "lower"; }
  Status Run(std::vector<std::string> argv) const;
  Result<std::string> OutputOf(std::vector<std::string> argv) const;

 private:
  TempDirectory directory_;
};

}  // namespace hearth::node
