#include "gms/ctl/internal/ctl_command.h"

#include <fmt/format.h>

#include <ostream>

namespace hearth::gms::ctl {

void CtlCommand::AddOptions(OptionTable& table) {
  AddOwnOptions(table);
  table.Add({.name = "output",
             .help = "For people or for machines: json is one object a line",
             .target = &output_,
             .letter = 'o',
             .choices = {"text", "json"}});
  table.AddNotes(
      fmt::format("Exit codes:\n  0  done\n{}  2  the command line makes no sense\n"
                  "  3  no answer: no server, a refusal, or a file that cannot be read\n",
                  no_.empty() ? "" : fmt::format("  1  {}\n", no_)));
}

int CtlCommand::Run(Terminal& terminal) {
  const Result<int> code = Work(terminal);
  if (code.ok()) {
    return *code;
  }
  terminal.err << fmt::format("gmsctl {}: {}\n", name_, code.status().message())
               << HintFor(code.status());
  return kExitFailed;
}

void CtlCommand::Print(Terminal& terminal, const Value& value) {
  terminal.out << value.Write() << std::endl;
}

int CtlCommand::Misused(Terminal& terminal, std::string_view message) const {
  terminal.err << fmt::format("gmsctl {}: {} (see gmsctl help {})\n", name_, message, name_);
  return kExitUsage;
}

}  // namespace hearth::gms::ctl
