#include <ostream>

#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/server_command.h"
#include "gms/ctl/internal/status_view.h"

namespace hearth::gms::ctl {
namespace {

constexpr const char* kHomeAndClear = "\x1b[H\x1b[J";

class Top : public ServerCommand {
 public:
  Top() : ServerCommand("top", Pools::kMany) {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.Add({.name = "interval",
               .help = "How often to look",
               .target = &interval_,
               .letter = 'i',
               .check = Positive()});
    table.Add({.name = "count",
               .help = "How many times; 0: until stopped",
               .target = &count_,
               .letter = 'n',
               .value_name = "N",
               .check = Between(0, 1'000'000'000)});
    table.AddNotes(
        "On a terminal the table is drawn over the one before, elsewhere one follows the other.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    // All are asked anew each time: servers come and go.
    auto servers = Servers(terminal);
    for (int64_t shown = 1; servers.ok(); ++shown) {
      Show(terminal, *servers);
      const int code = TellSilent(terminal);
      if (shown == count_ || !SleepFor(RealClock(), interval_, terminal.stop)) {
        return terminal.stop.stop_requested() ? kExitOk : code;
      }
      servers = Servers(terminal);
    }
    return terminal.stop.stop_requested() ? Result<int>(kExitOk) : servers.status();
  }

 private:
  void Show(Terminal& terminal, const std::vector<RunningServer>& servers) const {
    terminal.out << (terminal.interactive && !json() ? kHomeAndClear : "");
    for (const RunningServer& server : servers) {
      ShowOne(terminal, server.status);
    }
    terminal.out << std::flush;
  }

  void ShowOne(Terminal& terminal, const StatusResponse& status) const {
    if (json()) {
      Print(terminal,
            Value::Object({{"uptime_ms", status.uptime_ms}, {"sessions", SessionsJson(status)}}));
      return;
    }
    terminal.out << ServerLine(status) << "\n"
                 << PoolTable(status) << "\n"
                 << SessionTable(status) << (terminal.interactive ? "" : "\n");
  }

  Duration interval_ = std::chrono::seconds(1);
  int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeTop() { return std::make_unique<Top>(); }

}  // namespace hearth::gms::ctl
