#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"

namespace hearth {

struct ProcessSpec {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH; no shell is involved
  // Added to ours, or all there is with clear_env.
  std::vector<std::pair<std::string, std::string>> env;
  bool clear_env = false;
  std::string directory;  // ours when empty
  std::string input;      // standard input; end of file after it
  // For each of stdout and stderr; more is kExhausted and the process is killed.
  uint64_t output_limit = 1 << 20;
};

struct ProcessOutcome {
  int exit_code = 0;  // when not signalled
  int signal = 0;
  std::string output;  // stdout
  std::string errors;  // stderr
  bool ok() const { return exit_code == 0 && signal == 0; }
};

// Runs a program to its end. When the limit is over its whole process group is killed and reaped,
// and the answer is kDeadlineExceeded or kCancelled with what it had said on stderr. kNotFound when
// there is no such program. A program that ends by itself may leave others running; they are not
// waited for. PATH is that of `env` when it is there. Blocking; thread-safe.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  virtual Result<ProcessOutcome> Run(const ProcessSpec& spec, const WaitLimit& limit) = 0;
};

ProcessRunner& RealProcessRunner();

// A program that keeps running beside us, in a process group of its own with output appended to a
// file. Killed and reaped with its group when it goes, and killed by the kernel when the thread
// that started it ends: start it on one that outlives it. Not thread-safe.
class ChildProcess {
 public:
  struct Spec {
    std::vector<std::string> argv;
    std::vector<std::pair<std::string, std::string>> env;
    std::string directory;
    std::string log_path;  // stdout and stderr; /dev/null when empty
    int input_fd = -1;     // its standard input, stays ours; -1: nothing to read
    // Descriptors of ours that it gets under the same numbers, all above 2; no others.
    std::vector<int> inherited_fds = {};
  };
  static Result<ChildProcess> Start(const Spec& spec);
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();

  int pid() const { return pid_; }
  bool Running();
  Status Signal(int signal);  // to the program itself; kNotFound when it has ended
  // SIGTERM, then after `grace` SIGKILL to the group; returns when reaped.
  void Stop(Duration grace);
  // Waits for its end and reaps it, and kills what it left in its group. kDeadlineExceeded or
  // kCancelled when still running then. The output is in the file. May be asked again.
  Result<ProcessOutcome> Wait(const WaitLimit& limit);

 private:
  ChildProcess() = default;
  Status AwaitEnd(const WaitLimit& limit);
  void Reap();

  int pid_ = -1;
  UniqueFd pidfd_;  // valid until reaped
  std::string name_;
  ProcessOutcome outcome_;  // once reaped
};

}  // namespace hearth
