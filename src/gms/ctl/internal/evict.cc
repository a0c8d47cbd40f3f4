#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/server_command.h"

namespace hearth::gms::ctl {
namespace {

class Evict : public ServerCommand {
 public:
  Evict() : ServerCommand("evict", Pools::kMany, "there is no such session") {}

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
        "committed. Both are told, and the next in line is served. Servers count on their own: "
        "where\n"
        "a folder has several with such a session, --device, --domain or --server say whose is "
        "meant.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const bool evicted, EvictSession(terminal));
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
  bool Has(const RunningServer& server) const {
    const auto& pools = server.status.domains;
    return std::any_of(pools.begin(), pools.end(), [this](const DomainItem& pool) {
      return std::any_of(pool.sessions.begin(), pool.sessions.end(), [this](const auto& session) {
        return session.session == static_cast<uint64_t>(session_);
      });
    });
  }

  Result<bool> EvictSession(Terminal& terminal) {
    ASSIGN_OR_RETURN(std::vector<RunningServer> servers, Servers(terminal));
    TellSilent(terminal);
    std::erase_if(servers, [this](const RunningServer& server) { return !Has(server); });
    if (servers.empty()) {
      return false;
    }
    RETURN_IF_ERROR(CheckOnlyOne(servers));
    ASSIGN_OR_RETURN(const auto admin, Open(servers.front(), terminal));
    return admin->Evict(static_cast<uint64_t>(session_), AnswerLimit(terminal).deadline);
  }

  int64_t session_ = 0;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeEvict() { return std::make_unique<Evict>(); }

}  // namespace hearth::gms::ctl
