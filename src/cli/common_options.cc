#include "cli/common_options.h"

#include <ostream>

namespace hearth::cli {

void CommonOptions::AddTo(OptionTable& table, bool with_all, const std::string& timeout_help) {
  table.Add({.name = "namespace",
             .help = "Where it is; the context's without it",
             .target = &name_space,
             .letter = 'n',
             .value_name = "name"});
  if (with_all) {
    table.Add({.name = "all-namespaces",
               .help = "Look into all namespaces",
               .target = &all_namespaces,
               .letter = 'A'});
  }
  table.Add({.name = "output",
             .help = "For people or for machines",
             .target = &output,
             .letter = 'o',
             .choices = {"text", "json"}});
  cluster.AddTo(table, timeout_help);
}

std::string CommonOptions::NamespaceIn(const Cluster& connected) const {
  if (all_namespaces) {
    return "";
  }
  return name_space.empty() ? connected.name_space() : name_space;
}

WaitLimit CommonOptions::Limit(const command_line::Terminal& terminal) const {
  return WaitLimit::For(RealClock(), cluster.timeout, terminal.stop);
}

int Fail(command_line::Terminal& terminal, std::string_view command, const Status& status) {
  terminal.err << "hearth " << command << ": " << status.message() << "\n";
  return command_line::kExitUsage;
}

}  // namespace hearth::cli
