#include <fmt/format.h>

#include <istream>
#include <iterator>
#include <ostream>

#include "agent/criu/failure.h"
#include "snapshot/ctl/internal/commands.h"
#include "snapshot/ctl/internal/ctl_command.h"

namespace hearth::snapshot::ctl {
namespace {

using agent::criu::Failure;

constexpr uint64_t kMaxLogBytes = 256ULL << 20U;
constexpr size_t kMaxLines = 20;

std::string TextOf(const Failure& failure, const std::vector<std::string>& lines) {
  if (failure.line.empty()) {
    return "The log has no error. If it failed all the same, what called CRIU knows why.\n";
  }
  std::string text =
      fmt::format("Cause:      {}\nWhat to do: {}\nReason:     {} ({}, {})\n", failure.cause,
                  failure.fix, failure.reason, agent::criu::CertaintyName(failure.certainty),
                  failure.retryable ? "the same again may work" : "the same again fails the same");
  text += "Errors:\n";
  for (const std::string& line : lines) {
    text += fmt::format("  {} {}\n", line == failure.line ? ">" : " ", line);
  }
  return text;
}

class Explain : public CtlCommand {
 public:
  Explain() : CtlCommand("explain", "the log has no error") {}

 protected:
  void AddOwnOptions(OptionTable& table) override {
    table.AddPositional({.name = "log",
                         .help = "dump.log or restore.log of CRIU; - reads standard input",
                         .target = &path_,
                         .value_name = "file",
                         .required = true});
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const std::string log, ReadLog(terminal));
    const Failure failure = agent::criu::ExplainLog(log);
    const std::vector<std::string> lines = agent::criu::ErrorLines(log, kMaxLines);
    if (json()) {
      Print(terminal, Value::Object({{"reason", failure.reason},
                                     {"cause", failure.cause},
                                     {"fix", failure.fix},
                                     {"certainty", agent::criu::CertaintyName(failure.certainty)},
                                     {"retryable", failure.retryable},
                                     {"line", failure.line},
                                     {"errors", TextArray(lines)}}));
    } else {
      terminal.out << TextOf(failure, lines);
    }
    return failure.line.empty() ? kExitNo : kExitOk;
  }

 private:
  Result<std::string> ReadLog(Terminal& terminal) const {
    if (path_ == "-") {
      return std::string(std::istreambuf_iterator<char>(terminal.in), {});
    }
    return terminal.files.Read(path_, kMaxLogBytes);
  }

  std::string path_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeExplain() { return std::make_unique<Explain>(); }

}  // namespace hearth::snapshot::ctl
