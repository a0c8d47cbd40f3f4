#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/process_runner.h"
#include "base/result.h"
#include "kube/testing/own_port.h"
#include "process_usage.h"

namespace hearth::bench {

// An operator that takes part.
struct Contestant {
  std::string name;     // of names.h
  std::string program;  // empty: it cannot take part
  enum class Kind { kHearth, kUpstream, kUpstreamUnlimited } kind = Kind::kHearth;
  std::string not_run;  // why
};

// One that runs, without leader election and without webhooks that anybody calls. To be started on
// the main thread; stopped when it goes.
class OperatorProcess {
 public:
  // Ready when it returns, caches filled. Its log, and what it must find in files, go to
  // `directory`.
  static Result<std::unique_ptr<OperatorProcess>> Start(const Contestant& contestant,
                                                        const std::string& kubeconfig,
                                                        const std::string& directory);
  ~OperatorProcess();

  Result<Memory> ReadMemory() const;
  Result<double> CpuSeconds() const;

  // Seconds from before the process is made until the first byte of its first request arrives at a
  // server that we play.
  static Result<double> SecondsToFirstRequest(const Contestant& contestant,
                                              const std::string& directory);

 private:
  OperatorProcess(Contestant contestant, std::string directory)
      : contestant_(std::move(contestant)), directory_(std::move(directory)) {}
  Status Launch(const std::string& kubeconfig);
  Status AwaitReady();
  Status Failed(const std::string& what) const;

  Contestant contestant_;
  std::string directory_;
  std::vector<kube::OwnPort> ports_;  // health, metrics, webhooks
  std::unique_ptr<ChildProcess> process_;
  SteadyTime started_;
};

}  // namespace hearth::bench
