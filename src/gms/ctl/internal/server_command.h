#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gms/client/admin.h"
#include "gms/ctl/internal/ctl_command.h"

namespace hearth::gms::ctl {

// A server that answers, and what it said of itself.
struct RunningServer {
  std::string socket;
  std::unique_ptr<Admin> admin;
  StatusResponse status;
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
  // The servers that have pools which the options mean, with those pools alone; never none. Waits
  // for one as long as --wait says, which is not at all by default. kNotFound names the pools that
  // there are.
  Result<std::vector<RunningServer>> Servers(const Terminal& terminal) const;
  // kInvalid, saying how to choose, when there are several.
  static Status CheckOnlyOne(const std::vector<RunningServer>& servers);
  // What it says now, with the pools that the options mean.
  Status Refresh(RunningServer& server, const Terminal& terminal) const;
  // Of all servers.
  Result<std::vector<DomainItem>> PoolsOf(const Terminal& terminal) const;
  // For one answer.
  WaitLimit AnswerLimit(const Terminal& terminal) const;
  Duration answer_timeout() const { return timeout_; }

 private:
  void AddPoolOptions(OptionTable& table);
  Result<std::vector<RunningServer>> Connect(const Terminal& terminal) const;
  bool IsMeant(const DomainItem& pool) const;

  Pools pools_;
  std::string directory_;
  Duration wait_{};
  Duration timeout_ = std::chrono::seconds(5);
  std::string device_;
  std::string domain_;
};

}  // namespace hearth::gms::ctl
