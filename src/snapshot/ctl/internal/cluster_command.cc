#include "snapshot/ctl/internal/cluster_command.h"

#include <ostream>

namespace hearth::snapshot::ctl {

void ClusterOptions::AddTo(OptionTable& table) {
  table.Add({.name = "kube-context",
             .help = "Context of the kubeconfig; its current one without it",
             .target = &request.context});
  table.Add({.name = "kubeconfig",
             .help = "Kubeconfig; $KUBECONFIG, the pod's service account or ~/.kube/config "
                     "without it",
             .target = &request.kubeconfig,
             .value_name = "file"});
}

void PrintFacts(Terminal& terminal, const Value& facts, bool json) {
  if (json) {
    terminal.out << facts.Write() << std::endl;
    return;
  }
  for (const auto& [name, value] : facts.members()) {
    terminal.out << name << "=" << (value.IsString() ? value.string() : value.Write()) << "\n";
  }
  terminal.out << std::flush;
}

}  // namespace hearth::snapshot::ctl
