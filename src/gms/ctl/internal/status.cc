#include <ostream>

#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/server_command.h"
#include "gms/ctl/internal/status_view.h"

namespace hearth::gms::ctl {
namespace {

std::string FileNameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

class StatusCommand : public ServerCommand {
 public:
  StatusCommand() : ServerCommand("status", Pools::kMany) {}

 protected:
  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const std::vector<RunningServer> servers, Servers(terminal));
    for (const RunningServer& server : servers) {
      if (json()) {
        Value value = StatusJson(server.status);
        value.Set("admin_socket", server.socket);
        Print(terminal, value);
      } else {
        terminal.out << (&server == servers.data() ? "" : "\n");
        Show(terminal, server, servers.size() > 1);
      }
    }
    return TellSilent(terminal);
  }

 private:
  void Show(Terminal& terminal, const RunningServer& server, bool one_of_several) const {
    terminal.out << ServerLine(server.status) << "sockets in " << Directory()
                 << (one_of_several ? ", --server " + FileNameOf(server.socket) : "") << "\n\n"
                 << DeviceTable(server.status) << "\n"
                 << PoolTable(server.status);
  }
};

}  // namespace

std::unique_ptr<command_line::Command> MakeStatus() { return std::make_unique<StatusCommand>(); }

}  // namespace hearth::gms::ctl
