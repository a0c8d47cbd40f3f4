#include <fmt/format.h>

#include <ostream>

#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/server_command.h"

namespace hearth::gms::ctl {
namespace {

class Evict : public ServerCommand {
 public:
  Evict() : ServerCommand("evict", Pools::kNone, "there is no such session") {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.AddPositional({.name = "session",
                         .help = "Its number, as gmsctl top shows it",
                         .target = &session_,
                         .value_name = "SESSION",
                         .required = true,
                         .check = Between(1, INT64_MAX)});
    table.AddNotes(
        "A reader's mappings stay until it unmaps them or ends; a writer loses what it has not\n"
        "committed. Both are told, and the next in line is served.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const auto admin, Connect(terminal));
    ASSIGN_OR_RETURN(const bool evicted,
                     admin->Evict(static_cast<uint64_t>(session_), AnswerLimit(terminal).deadline));
    if (json()) {
      Print(terminal, Value::Object({{"session", session_}, {"evicted", evicted}}));
    } else if (evicted) {
      terminal.out << fmt::format("session {} is evicted\n", session_);
    } else {
      terminal.err << fmt::format(
          "gmsctl evict: no session {}: it has ended, or never was; gmsctl top shows those there "
          "are\n",
          session_);
    }
    return evicted ? kExitOk : kExitNo;
  }

 private:
  int64_t session_ = 0;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeEvict() { return std::make_unique<Evict>(); }

}  // namespace hearth::gms::ctl
