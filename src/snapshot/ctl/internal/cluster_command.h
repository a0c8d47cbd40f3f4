#pragma once

#include <memory>
#include <string>

#include "snapshot/ctl/internal/cluster.h"
#include "snapshot/ctl/internal/ctl_command.h"

namespace hearth::snapshot::ctl {

// Where a cluster is, as every command that asks one takes it.
struct ClusterOptions {
  kube::ConfigRequest request;

  void AddTo(OptionTable& table);
  Result<std::unique_ptr<Cluster>> Connect() const { return Cluster::Connect(request); }
};

// What upstream's commands print: key=value lines, or the same as one JSON object.
void PrintFacts(Terminal& terminal, const Value& facts, bool json);

}  // namespace hearth::snapshot::ctl
