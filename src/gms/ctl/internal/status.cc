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
    ASSIGN_OR_RETURN(StatusResponse status, ReadStatus(terminal));
    ASSIGN_OR_RETURN(status.domains, PoolsOf(status));
    if (json()) {
      Print(terminal, StatusJson(status));
    } else {
      terminal.out << ServerLine(status) << "sockets in " << Directory() << "\n\n"
                   << DeviceTable(status) << "\n"
                   << PoolTable(status);
    }
    return kExitOk;
  }
};

}  // namespace

std::unique_ptr<command_line::Command> MakeStatus() { return std::make_unique<StatusCommand>(); }

}  // namespace hearth::gms::ctl
