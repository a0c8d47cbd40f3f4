#include "snapshot/ctl/internal/ctl_command.h"

#include <fmt/format.h>

#include <ostream>

namespace hearth::snapshot::ctl {

void CtlCommand::AddOptions(OptionTable& table) {
  AddOwnOptions(table);
  table.Add({.name = "output",
             .help = "For people or for machines: json is one object a line",
             .target = &output_,
             .letter = 'o',
             .choices = {"text", "json"}});
  table.AddNotes(
      fmt::format("Exit codes:\n  0  done\n  1  it failed, or the command line makes no sense\n{}",
                  no_.empty() ? "" : fmt::format("  2  {}\n", no_)));
}

int CtlCommand::Run(Terminal& terminal) {
  const Result<int> code = Work(terminal);
  if (code.ok()) {
    return *code;
  }
  terminal.err << fmt::format("snapshotctl {}: {}\n", name_, code.status().message());
  return kExitFailed;
}

void CtlCommand::Print(Terminal& terminal, const Value& value) {
  terminal.out << value.Write() << std::endl;
}

}  // namespace hearth::snapshot::ctl
