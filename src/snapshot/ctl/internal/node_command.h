#pragma once

#include <string>

#include "base/options.h"
#include "base/result.h"
#include "snapshot/ctl/internal/ctl_command.h"
#include "snapshot/ctl/internal/node_facts.h"

namespace hearth::snapshot::ctl {

// --criu, for commands that look at this machine.
struct CriuOption {
  std::string place = "criu";

  void AddTo(OptionTable& table);
  NodeFacts Look(Terminal& terminal) const;
};

}  // namespace hearth::snapshot::ctl
