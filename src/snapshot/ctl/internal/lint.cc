#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <ostream>

#include "agent/capture/facts.h"
#include "agent/capture/plan.h"
#include "agent/host/restored_processes.h"
#include "base/clock.h"
#include "base/strings.h"
#include "snapshot/ctl/internal/commands.h"
#include "snapshot/ctl/internal/ctl_command.h"
#include "snapshot/ctl/internal/lint_rules.h"
#include "snapshot/ctl/internal/runtime_options.h"

namespace hearth::snapshot::ctl {
namespace {

constexpr Duration kRuntimeLimit = std::chrono::seconds(10);

std::string CostText(const Survey& survey, const CaptureCost& cost, uint64_t rate) {
  int threads = 0;
  for (const SurveyedProcess& process : survey.processes) {
    threads += process.threads;
  }
  return fmt::format(
      "{} process{}, {} threads. A capture saves about {}{}, in about {:.1f} s at {}/s.\n",
      survey.processes.size(), survey.processes.size() == 1 ? "" : "es", threads,
      SizeText(cost.memory_bytes),
      cost.deleted_bytes == 0 ? "" : " and deleted files of " + SizeText(cost.deleted_bytes),
      cost.seconds, SizeText(rate));
}

// "NAMESPACE/POD" or "NAMESPACE/POD/CONTAINER"; nothing: it is neither.
std::optional<agent::PodContainer> ParsePod(std::string_view text) {
  const auto parts = Split(text, '/');
  const bool whole =
      std::none_of(parts.begin(), parts.end(), [](std::string_view part) { return part.empty(); });
  if (!whole || parts.size() < 2 || parts.size() > 3) {
    return std::nullopt;
  }
  return agent::PodContainer{.pod_uid = "",
                             .pod_name = std::string(parts[1]),
                             .pod_namespace = std::string(parts[0]),
                             .name = std::string(parts.size() == 3 ? parts[2] : "main")};
}

// What a capture of the container would refuse before it began.
Result<std::vector<Judgement>> JudgePlan(agent::ContainerRuntime& runtime, const std::string& id,
                                         const WaitLimit& limit) {
  const auto facts = agent::GatherFacts(runtime, {}, id, limit);
  const Status planned =
      facts.ok() ? agent::PlanCapture(*facts, {.checkpoint_id = "lint"}, {}, RealClock().WallNow())
                       .status()
                 : facts.status();
  if (planned.ok()) {
    return std::vector<Judgement>();
  }
  if (!planned.Is(Code::kUnsupported)) {
    return planned;
  }
  return std::vector<Judgement>{
      {Judgement::Verdict::kBad,
       planned.reason().empty() ? "container" : std::string(planned.reason()), id,
       std::string(planned.message())}};
}

class Lint : public CtlCommand {
 public:
  Lint() : CtlCommand("lint", "it cannot be captured as it is") {}

 protected:
  void AddOwnOptions(OptionTable& table) override {
    table.AddPositional({.name = "process",
                         .help = "A pid, the id of a container, or NAMESPACE/POD[/CONTAINER] of "
                                 "this node (with --cri-socket; CONTAINER is main without it)",
                         .target = &what_,
                         .required = true});
    runtime_.AddTo(table, "");
    table.Add({.name = "ghost-limit",
               .help = "Largest deleted file that is saved",
               .target = &ghost_limit_});
    table.Add({.name = "write-rate",
               .help = "Bytes a second that the storage takes, for the estimate",
               .target = &rate_});
    table.AddNotes("It only looks: nothing is stopped. Memory is what is there now.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    if (rate_.value == 0) {
      return InvalidError("--write-rate must be above 0");
    }
    std::vector<Judgement> judgements;
    ASSIGN_OR_RETURN(const int pid, FindPid(terminal, judgements));
    ASSIGN_OR_RETURN(const Survey survey, SurveyProcesses(terminal.files, "/proc", pid));
    const LintLimits limits{ghost_limit_.value, rate_.value};
    const std::vector<Judgement> seen = JudgeCapture(survey, limits);
    judgements.insert(judgements.end(), seen.begin(), seen.end());
    const CaptureCost cost = CostOf(survey, limits);
    if (json()) {
      Print(terminal, Value::Object({{"pid", pid},
                                     {"processes", uint64_t{survey.processes.size()}},
                                     {"capturable", NoneBad(judgements)},
                                     {"memory_bytes", cost.memory_bytes},
                                     {"deleted_file_bytes", cost.deleted_bytes},
                                     {"estimated_seconds", cost.seconds},
                                     {"findings", JudgementsJson(judgements)}}));
    } else {
      terminal.out << (judgements.empty() ? "Nothing is in the way of a capture.\n"
                                          : JudgementText(judgements, "It can be captured",
                                                          "It cannot be captured as it is"))
                   << CostText(survey, cost, rate_.value);
    }
    return NoneBad(judgements) ? kExitOk : kExitNo;
  }

 private:
  // Of a container also what is in the way of it as a whole.
  Result<int> FindPid(Terminal& terminal, std::vector<Judgement>& judgements) const {
    int pid = 0;
    const auto [end, error] = std::from_chars(what_.data(), what_.data() + what_.size(), pid);
    if (error == std::errc() && end == what_.data() + what_.size()) {
      // Of a container's first process that only waits, what runs is meant.
      return agent::FirstOfWorkload({}, pid).value_or(pid);
    }
    ASSIGN_OR_RETURN(const auto runtime, runtime_.Make(terminal.files));
    const WaitLimit limit = WaitLimit::For(RealClock(), kRuntimeLimit, terminal.stop);
    const auto pod = ParsePod(what_);
    ASSIGN_OR_RETURN(const agent::Container container,
                     pod ? runtime->FindInPod(*pod, limit) : runtime->Find(what_, limit));
    ASSIGN_OR_RETURN(judgements, JudgePlan(*runtime, container.id, limit));
    return agent::FirstOfWorkload({}, container.pid);
  }

  std::string what_;
  RuntimeOptions runtime_;
  OptionTable::Bytes ghost_limit_{512ULL << 20U};
  OptionTable::Bytes rate_{1ULL << 30U};
};

}  // namespace

std::unique_ptr<command_line::Command> MakeLint() { return std::make_unique<Lint>(); }

}  // namespace hearth::snapshot::ctl
