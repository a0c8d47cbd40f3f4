#include "operator_app/hearth_operator.h"

#include "operator_app/crd_apply.h"

namespace hearth::operator_app {

const command_line::Program& HearthOperator() {
  static const command_line::Program kProgram(
      {.name = "hearth-operator",
       .purpose = "Makes the cluster as its graphs, groups and snapshots want it.",
       .version = HEARTH_VERSION},
      {{"run", "Runs the controllers and answers the webhooks.", MakeRun},
       {"crd-apply", "Puts the definitions of all kinds into the cluster.", MakeCrdApply}});
  return kProgram;
}

}  // namespace hearth::operator_app
