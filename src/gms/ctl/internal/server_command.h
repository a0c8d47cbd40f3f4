#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gms/client/admin.h"
#include "gms/ctl/internal/ctl_command.h"

namespace hearth::gms::ctl {

// A server that answers, and what it said of itself.
struct RunningServer {
  std::string socket;  // the administration's
  StatusResponse status;
};

// One that does not: it hangs, is not ours to ask, or no server at all.
struct SilentServer {
  std::string socket;
  Status why;
};

// A command that asks the running servers of a folder.
class ServerCommand : public CtlCommand {
 protected:
  // Which memory pools a command is about.
  enum class Pools {
    kOne,   // --device and --domain, with defaults
    kMany,  // all unless they say otherwise
  };
  ServerCommand(std::string_view name, Pools pools, std::string_view no = "")
      : CtlCommand(name, no), pools_(pools) {}

  void AddOwnOptions(OptionTable& table) final;
  virtual void AddMoreOptions(OptionTable& /*table*/) {}
  std::string HintFor(const Status& failure) const override;

  std::string Directory() const;
  // The servers that have pools which the options mean, with those pools alone; never none. All are
  // asked at the same time; for those that do not answer see TellSilent. What was left behind by a
  // server that is gone is passed over, and so is another user's where one of ours answers. Waits
  // for one as long as --wait says, which is not at all by default. kNotFound names the pools that
  // there are, and who did not answer.
  Result<std::vector<RunningServer>> Servers(const Terminal& terminal);
  // Who did not answer when the servers were asked last, on standard error. The exit code: that of
  // a failure when there was anybody.
  int TellSilent(Terminal& terminal) const;
  // The only one that is meant, the others told. kInvalid, saying how to choose, when there are
  // several.
  Result<RunningServer> OnlyServer(Terminal& terminal);
  static Status CheckOnlyOne(const std::vector<RunningServer>& servers);
  // Of all servers.
  Result<std::vector<DomainItem>> PoolsOf(const Terminal& terminal);
  // Of the only server that is meant.
  Result<DomainItem> OnlyPool(Terminal& terminal);
  Result<std::unique_ptr<Admin>> Open(const RunningServer& server, const Terminal& terminal) const;
  // For one answer.
  WaitLimit AnswerLimit(const Terminal& terminal) const;
  Duration answer_timeout() const { return timeout_; }

 private:
  void AddPoolOptions(OptionTable& table);
  std::vector<std::string> Sockets() const;
  Result<std::vector<RunningServer>> Survey(const Terminal& terminal);
  Result<std::vector<RunningServer>> AskAll(const Terminal& terminal);
  bool IsMeant(const DomainItem& pool) const;

  Pools pools_;
  std::string directory_;
  std::string server_;
  Duration wait_{};
  Duration timeout_ = std::chrono::seconds(5);
  std::string device_;
  std::string domain_;
  std::vector<SilentServer> silent_;
};

}  // namespace hearth::gms::ctl
