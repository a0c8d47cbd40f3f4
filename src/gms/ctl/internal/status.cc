#include <ostream>

#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/server_command.h"
#include "gms/ctl/internal/status_view.h"

namespace hearth::gms::ctl {
namespace {

class StatusCommand : public ServerCommand {
 public:
  StatusCommand() : ServerCommand("status", Pools::kMany) {}

 protected:
  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const std::vector<RunningServer> servers, Servers(terminal));
    for (const RunningServer& server : servers) {
      if (json()) {
        Print(terminal, StatusJson(server.status));
      } else {
        terminal.out << (&server == servers.data() ? "" : "\n");
        Show(terminal, server.status);
      }
    }
    return kExitOk;
  }

 private:
  void Show(Terminal& terminal, const StatusResponse& status) const {
    terminal.out << ServerLine(status) << "sockets in " << Directory() << "\n\n"
                 << DeviceTable(status) << "\n"
                 << PoolTable(status);
  }
};

}  // namespace

std::unique_ptr<command_line::Command> MakeStatus() { return std::make_unique<StatusCommand>(); }

}  // namespace hearth::gms::ctl
