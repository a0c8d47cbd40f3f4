#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "plan.h"
#include "statistics.h"

namespace hearth::bench {

// `hearth validate` beside `kubectl apply --dry-run=server`, which asks a real API server about the
// same manifests, and how long it takes to look at one.
class ValidateRace {
 public:
  // `directory` takes the manifests.
  ValidateRace(std::string hearth, std::string kubeconfig, std::string directory, const Plan& plan);

  // Writes the manifests and gives our resources to the server.
  Status Prepare();
  // One round of both. Fails when one of them refuses a manifest.
  Status Run(Samples& samples);

 private:
  Result<double> Seconds(const std::vector<std::string>& argv) const;
  std::vector<std::string> Kubectl(std::vector<std::string> arguments) const;

  const std::string hearth_;
  const std::string kubeconfig_;
  const std::string directory_;
  const Plan& plan_;
  std::string kubectl_;
};

}  // namespace hearth::bench
