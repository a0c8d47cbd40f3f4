#include "cli/hearth.h"

#include <iostream>

#include "cli/checkpoint.h"
#include "cli/describe.h"
#include "cli/diagnose.h"
#include "cli/get.h"
#include "cli/plan.h"
#include "cli/rollout.h"
#include "cli/tree.h"
#include "cli/validate.h"
#include "command_line/complete.h"

namespace hearth::cli {
namespace {

constexpr std::string_view kPlugin = "kubectl-hearth";
constexpr std::string_view kPluginCompletion = "kubectl_complete-hearth";

std::vector<command_line::CommandRow> Commands() {
  return {
      {"checkpoint", "Lists checkpoints, waits for one, captures it anew, deletes it.",
       MakeCheckpoint},
      {"describe", "Shows a graph down to its pods, and why something is stuck.", MakeDescribe},
      {"diagnose", "Writes a support bundle, without secrets.", MakeDiagnose},
      {"get", "Lists graphs.", MakeGet},
      {"plan", "Shows what a set of pods consists of, and what scaling it would change.", MakePlan},
      {"rollout", "Waits for a change of a graph, shows earlier ones, restarts it.", MakeRollout},
      {"tree", "Shows a set of pods down to its devices, and why something is stuck.", MakeTree},
      {"validate", "Checks manifests as a server would, without one.", MakeValidate}};
}

command_line::Program::Facts FactsAs(std::string_view name) {
  return {.name = name,
          .purpose = "Hearth keeps GPU inference warm on Kubernetes.",
          .version = HEARTH_VERSION};
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

const command_line::Program& Hearth() {
  static const command_line::Program kHearth(FactsAs("hearth"), Commands());
  return kHearth;
}

const command_line::Program& KubectlHearth() {
  static const command_line::Program kHearth(FactsAs("kubectl hearth"), Commands());
  return kHearth;
}

int HearthMain(int argc, char** argv) {
  const std::string_view name = argc > 0 ? BaseName(argv[0]) : "";
  if (name == kPluginCompletion) {
    std::cout << command_line::KubectlCompletions(
                     command_line::Complete(KubectlHearth(), {argv + 1, argv + argc}))
              << std::flush;
    return command_line::kExitOk;
  }
  return command_line::Main(name == kPlugin ? KubectlHearth() : Hearth(), argc, argv,
                            command_line::kExitUsage);
}

}  // namespace hearth::cli
