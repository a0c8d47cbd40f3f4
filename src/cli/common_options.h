#pragma once

#include <string>

#include "base/options.h"
#include "base/wait_limit.h"
#include "cli/cluster.h"
#include "command_line/command.h"

namespace hearth::cli {

// What every command for graphs takes beside its own: namespace, output, cluster.
struct CommonOptions {
  std::string name_space;
  bool all_namespaces = false;
  std::string output = "text";
  ClusterOptions cluster;

  // -n, -o and the cluster's; -A only `with_all`.
  void AddTo(OptionTable& table, bool with_all = false,
             const std::string& timeout_help = "How long the cluster is waited for");

  bool json() const { return output == "json"; }
  // The namespace that is meant; empty: all of them.
  std::string NamespaceIn(const Cluster& connected) const;
  WaitLimit Limit(const command_line::Terminal& terminal) const;
};

// Tells a failure as "hearth <command>: ..." and gives the exit code of one.
int Fail(command_line::Terminal& terminal, std::string_view command, const Status& status);

}  // namespace hearth::cli
