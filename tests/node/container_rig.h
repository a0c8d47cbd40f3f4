#pragma once

#include <string>
#include <vector>

#include "base/process_runner.h"
#include "base/result.h"
#include "base/testing/temp_directory.h"

namespace hearth::node {

// Containers made by runc, each on an overlay of its own above one common root that holds the
// workload and little else. Killed, unmounted and removed with the rig.
class ContainerRig {
 public:
  ContainerRig();
  ~ContainerRig();
  ContainerRig(const ContainerRig&) = delete;
  ContainerRig& operator=(const ContainerRig&) = delete;

  struct Started {
    std::string id;
    std::string upper;    // its changed files
    std::string control;  // its control directory, from outside
    std::string socket;   // the workload's, from outside
  };
  // Runs `argv` in a container of that name; its output goes to a file.
  Result<Started> Start(const std::string& name, const std::vector<std::string>& argv);
  // The workload with that much memory and that many threads.
  Result<Started> StartWorkload(const std::string& name, int mebibytes, int threads);
  void Kill(const Started& container);

  std::string runc_root() const { return directory_ / "runc"; }
  const TempDirectory& directory() const { return directory_; }

 private:
  Status Run(std::vector<std::string> argv) const;

  TempDirectory directory_;
  std::vector<Started> started_;
};

}  // namespace hearth::node
