#include "gms/ctl/gmsctl.h"

#include "gms/ctl/internal/commands.h"

namespace hearth::gms::ctl {

const command_line::Program& Gmsctl() {
  static const command_line::Program kGmsctl(
      {.name = "gmsctl",
       .purpose = "Looks into a GPU memory service and at what it saved.",
       .version = HEARTH_VERSION},
      {{"status", "Shows the server, its devices and what is in their memory.", MakeStatus},
       {"top", "Shows who holds what, again and again.", MakeTop},
       {"ls", "Lists what is committed, by tensor.", MakeLs},
       {"events", "Shows what happened to a memory pool.", MakeEvents},
       {"evict", "Ends a session, which gives its lease back.", MakeEvict},
       {"fence", "Raises and lowers the fence that a checkpoint is taken behind.", MakeFence},
       {"metrics", "Prints the server's metrics.", MakeMetrics},
       {"bench", "Measures how fast the server answers and memory is attached.", MakeBench},
       {"inspect", "Shows what saved weights hold.", MakeInspect},
       {"verify", "Checks that saved weights are whole.", MakeVerify},
       {"diff", "Tells in what two saves of weights differ.", MakeDiff}});
  return kGmsctl;
}

}  // namespace hearth::gms::ctl
