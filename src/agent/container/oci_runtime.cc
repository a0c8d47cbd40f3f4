#include "agent/container/oci_runtime.h"

#include <fmt/format.h>

#include <utility>

#include "agent/container/oci_spec.h"
#include "agent/container/pinned_process.h"
#include "base/clock.h"
#include "base/strings.h"

namespace hearth::agent {
namespace {

constexpr uint64_t kLargestSpec = 16ULL << 20;

ContainerState::Phase PhaseOf(std::string_view status) {
  if (status == "running" || status == "paused") {
    return ContainerState::Phase::kRunning;
  }
  if (status == "stopped") {
    return ContainerState::Phase::kExited;
  }
  return status == "creating" || status == "created" ? ContainerState::Phase::kCreated
                                                     : ContainerState::Phase::kUnknown;
}

class OciRuntime : public ContainerRuntime {
 public:
  OciRuntime(OciRuntimeOptions options, ProcessRunner& runner, FileSystem& files)
      : options_(std::move(options)), runner_(runner), files_(files) {}

  Result<std::string> Version(const WaitLimit& limit) override {
    ASSIGN_OR_RETURN(const ProcessOutcome done, Run({"--version"}, limit));
    // "runc version 1.1.5+ds1"
    const std::string_view first = Split(done.output, '\n').front();
    const auto words = Split(first, ' ');
    return words.size() == 3 ? fmt::format("{} {}", words[0], words[2]) : std::string(first);
  }

  Result<Container> Find(std::string_view id, const WaitLimit& limit) override {
    RETURN_IF_ERROR(CheckContainerId(id));
    ASSIGN_OR_RETURN(const ProcessOutcome done, Run({"state", std::string(id)}, limit));
    ASSIGN_OR_RETURN(const OciState state, ParseOciState(done.output));
    if (state.pid <= 0 || (state.status != "running" && state.status != "paused")) {
      return UnavailableError(fmt::format("container {} is {}, not running", id, state.status));
    }
    ASSIGN_OR_RETURN(const std::string text,
                     files_.Read(state.bundle + "/config.json", kLargestSpec));
    auto spec = ParseOciSpec(text);
    if (!spec.ok()) {
      return spec.status().WithContext(state.bundle + "/config.json");
    }
    Container container;
    container.id = state.id;
    container.pid = state.pid;
    container.managed = std::move(spec->managed);
    container.bind_destinations = std::move(spec->bind_destinations);
    container.visible_devices = std::move(spec->visible_devices);
    container.capabilities = std::move(spec->capabilities);
    return container;
  }

  Result<ContainerState> StateOf(std::string_view id, const WaitLimit& limit) override {
    RETURN_IF_ERROR(CheckContainerId(id));
    ASSIGN_OR_RETURN(const ProcessOutcome done, Run({"state", std::string(id)}, limit));
    ASSIGN_OR_RETURN(const OciState state, ParseOciState(done.output));
    return ContainerState{.phase = PhaseOf(state.status)};
  }

  Status Stop(std::string_view id, Duration grace, const WaitLimit& limit) override {
    ASSIGN_OR_RETURN(const ContainerState state, StateOf(id, limit));
    if (state.phase == ContainerState::Phase::kExited) {
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(const auto process, PinnedProcess::Of(*this, id, limit));
    RETURN_IF_ERROR(Run({"kill", std::string(id), "TERM"}, limit));
    Status ended = process.AwaitEnd(limit.AtMost(RealClock(), grace));
    if (ended.ok() || limit.Expired(RealClock())) {
      return ended;
    }
    RETURN_IF_ERROR(process.Kill());
    return process.AwaitEnd(limit);
  }

 private:
  Result<ProcessOutcome> Run(std::vector<std::string> arguments, const WaitLimit& limit) {
    ProcessSpec spec;
    spec.argv = {options_.program};
    if (!options_.root.empty()) {
      spec.argv.insert(spec.argv.end(), {"--root", options_.root});
    }
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    ASSIGN_OR_RETURN(ProcessOutcome done, runner_.Run(spec, limit));
    if (done.ok()) {
      return done;
    }
    const std::string words = Excerpt(Trim(done.errors), 300);
    if (words.find("does not exist") != std::string::npos) {
      return NotFoundError(
          fmt::format("{} knows no container {}", options_.program, arguments.back()));
    }
    return UnavailableError(fmt::format("{} {}: {}", options_.program, arguments.front(), words));
  }

  OciRuntimeOptions options_;
  ProcessRunner& runner_;
  FileSystem& files_;
};

}  // namespace

std::unique_ptr<ContainerRuntime> MakeOciRuntime(OciRuntimeOptions options, ProcessRunner& runner,
                                                 FileSystem& files) {
  return std::make_unique<OciRuntime>(std::move(options), runner, files);
}

}  // namespace hearth::agent
