#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "json/blob.h"
#include "process_usage.h"

namespace hearth::bench {

// A program that takes part: ours or a peer, all speaking the podwatch protocol.
struct Contestant {
  std::string name;
  std::vector<std::string> command;  // program and what it always gets
  std::string not_run;               // why it cannot take part; empty when it can
};

// A running contestant. Told to end, and killed if need be, when it goes. Not thread-safe.
class RunningContestant {
 public:
  struct Spec {
    std::string kubeconfig;
    std::string name_space;
    std::string log_path;  // its stderr
    int workers = 2;
  };
  static Result<std::unique_ptr<RunningContestant>> Start(const Contestant& contestant,
                                                          const Spec& spec);
  ~RunningContestant();
  RunningContestant(const RunningContestant&) = delete;
  RunningContestant& operator=(const RunningContestant&) = delete;

  // The next line, which must be this event. Fails when the process ends, says something else, or
  // takes too long; the message has the end of its stderr.
  Result<json::Blob> Await(const std::string& event, Duration timeout);
  // Sends a command and waits for the event of the same name.
  Result<json::Blob> Ask(const std::string& command, Duration timeout);

  // From before the process was made until the last awaited line arrived.
  double seconds_to_last_line() const { return last_line_seconds_; }
  SteadyTime started() const { return started_; }
  Result<Memory> ReadMemory() const;
  Result<double> CpuSeconds() const;
  // Stops it from running for a while, so that changes pile up.
  void Freeze() const;
  void Thaw() const;

 private:
  RunningContestant() = default;
  Status Spawn(const std::vector<std::string>& argv);
  Result<std::string> ReadLine(SteadyTime deadline);
  Status Failed(const std::string& what) const;

  std::string name_;
  std::string log_path_;
  int pid_ = -1;
  UniqueFd input_;   // its stdin
  UniqueFd output_;  // its stdout
  std::string buffer_;
  SteadyTime started_;
  double last_line_seconds_ = 0;
};

}  // namespace hearth::bench
