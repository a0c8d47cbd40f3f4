#include "cli/hearth.h"

#include "cli/validate.h"

namespace hearth::cli {

const command_line::Program& Hearth() {
  static const command_line::Program kHearth(
      {.name = "hearth",
       .purpose = "Hearth keeps GPU inference warm on Kubernetes.",
       .version = HEARTH_VERSION},
      {{"validate", "Checks manifests as a server would, without one.", MakeValidate}});
  return kHearth;
}

}  // namespace hearth::cli
