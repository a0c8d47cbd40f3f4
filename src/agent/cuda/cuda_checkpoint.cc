#include "agent/cuda/cuda_checkpoint.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>

#include "agent/cuda/job_file.h"
#include "agent/host/process_facts.h"
#include "base/strings.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent::cuda {
namespace {

constexpr std::array<std::pair<std::string_view, State>, 5> kStates = {
    {{"running", State::kRunning},
     {"locked", State::kLocked},
     {"checkpointed", State::kCheckpointed},
     {"failed", State::kFailed},
     {"unknown", State::kUnknown}}};

Status Failed(std::string_view program, std::string_view what, int pid,
              const ProcessOutcome& done) {
  const std::string_view said = Trim(done.errors).empty() ? done.output : done.errors;
  const std::string end = done.signal != 0 ? fmt::format("was killed by signal {}", done.signal)
                                           : fmt::format("ended with {}", done.exit_code);
  return InternalError(fmt::format("{} {} of process {}: {}: {}", program, what, pid, end,
                                   Excerpt(Trim(said), 300)));
}

class Program : public CudaCheckpoint {
 public:
  Program(ProgramOptions options, ProcessRunner& runner, Clock& clock)
      : options_(std::move(options)), runner_(runner), clock_(clock) {}

  Result<State> StateOf(int pid, const WaitLimit& limit) override {
    ASSIGN_OR_RETURN(const ProcessOutcome done, Run({"--get-state"}, pid, limit));
    if (!done.ok()) {
      return Failed(options_.program, "--get-state", pid, done);
    }
    return ParseState(Trim(done.output));
  }

  Result<int> RestoreThread(int pid, const WaitLimit& limit) override {
    ASSIGN_OR_RETURN(const ProcessOutcome done, Run({"--get-restore-tid"}, pid, limit));
    if (done.signal != 0) {
      return Failed(options_.program, "--get-restore-tid", pid, done);
    }
    if (done.exit_code != 0) {
      return NotFoundError(
          fmt::format("process {} does not use CUDA: {}", pid, Excerpt(Trim(done.errors), 300)));
    }
    int thread = 0;
    const std::string_view text = Trim(done.output);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), thread);
    if (error != std::errc() || end != text.data() + text.size() || thread <= 0) {
      return InternalError(fmt::format("{} says '{}', which is no thread of process {}",
                                       options_.program, Excerpt(text, 60), pid));
    }
    return thread;
  }

  Status Lock(int pid, Duration timeout, const WaitLimit& limit) override {
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
    return Act("lock", pid, {"--timeout", std::to_string(milliseconds.count())}, limit);
  }

  Status Checkpoint(int pid, const WaitLimit& limit) override {
    return Act("checkpoint", pid, {}, limit);
  }

  Status Restore(int pid, const DeviceMap& map, const WaitLimit& limit) override {
    if (map.empty()) {
      return Act("restore", pid, {}, limit);
    }
    return Act("restore", pid, {"--device-map", FormatDeviceMap(map)}, limit);
  }

  Status Unlock(int pid, const WaitLimit& limit) override { return Act("unlock", pid, {}, limit); }

 private:
  Status Act(const std::string& action, int pid, const std::vector<std::string>& further,
             const WaitLimit& limit) {
    std::vector<std::string> arguments = {"--action", action};
    arguments.insert(arguments.end(), further.begin(), further.end());
    ASSIGN_OR_RETURN(const UniqueFd held, HoldJobFile(pid));
    const std::string job_file =
        held.valid() ? fmt::format("/proc/{}/fd/{}", ::getpid(), held.get()) : options_.job_file;
    if (!job_file.empty()) {
      arguments.insert(arguments.end(), {"--job-file", job_file});
    }
    ASSIGN_OR_RETURN(const ProcessOutcome done, Run(std::move(arguments), pid, limit, job_file));
    return done.ok() ? Status::Ok() : Failed(options_.program, action, pid, done);
  }

  // Held open: by its path the container could put another file there. Not valid: there is none.
  Result<UniqueFd> HoldJobFile(int pid) const {
    if (options_.proc.empty() || pid <= 0) {
      return UniqueFd();
    }
    auto file = OpenJobFile(ProcReader(options_.proc).RootOf(pid));
    return file.status().Is(Code::kNotFound) ? Result<UniqueFd>(UniqueFd()) : std::move(file);
  }

  Result<ProcessOutcome> Run(std::vector<std::string> arguments, int pid, const WaitLimit& limit,
                             const std::string& job_file = "") {
    if (pid <= 0) {
      return InvalidError(fmt::format("{} is no process id", pid));
    }
    ProcessSpec spec;
    spec.argv = {options_.program};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    spec.argv.insert(spec.argv.end(), {"--pid", std::to_string(pid)});
    spec.env = options_.env;
    if (!job_file.empty()) {
      spec.env.emplace_back(snapshot::kCudaJobFileEnv, job_file);
    }
    auto done = runner_.Run(spec, limit.AtMost(clock_, options_.longest_step));
    if (done.status().Is(Code::kNotFound)) {
      return UnsupportedError(fmt::format("{} is not installed here", options_.program));
    }
    return std::move(done).WithContext(fmt::format("process {}", pid));
  }

  ProgramOptions options_;
  ProcessRunner& runner_;
  Clock& clock_;
};

}  // namespace

std::string_view StateName(State state) {
  for (const auto& [name, value] : kStates) {
    if (value == state) {
      return name;
    }
  }
  return "unknown";
}

State ParseState(std::string_view text) {
  for (const auto& [name, value] : kStates) {
    if (name == text) {
      return value;
    }
  }
  return State::kUnknown;
}

std::unique_ptr<CudaCheckpoint> MakeCudaCheckpointProgram(ProgramOptions options,
                                                          ProcessRunner& runner, Clock& clock) {
  return std::make_unique<Program>(std::move(options), runner, clock);
}

}  // namespace hearth::agent::cuda
