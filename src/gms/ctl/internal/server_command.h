#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gms/client/admin.h"
#include "gms/ctl/internal/ctl_command.h"

namespace hearth::gms::ctl {

// A command that asks a running server.
class ServerCommand : public CtlCommand {
 protected:
  // Which memory pools a command is about.
  enum class Pools {
    kNone,
    kOne,   // --device and --domain, with defaults
    kMany,  // all unless they say otherwise
  };
  ServerCommand(std::string_view name, Pools pools, std::string_view no = "")
      : CtlCommand(name, no), pools_(pools) {}

  void AddOwnOptions(OptionTable& table) final;
  virtual void AddMoreOptions(OptionTable& /*table*/) {}
  std::string HintFor(const Status& failure) const override;

  std::string Directory() const;
  std::string AdminSocket() const;
  // Waits for a server as long as --wait says, which is not at all by default.
  Result<std::unique_ptr<Admin>> Connect(const Terminal& terminal) const;
  // For one answer.
  WaitLimit AnswerLimit(const Terminal& terminal) const;
  Duration answer_timeout() const { return timeout_; }

  Result<StatusResponse> ReadStatus(const Terminal& terminal) const;
  // The pools of a status that the options mean. kNotFound names those that there are.
  Result<std::vector<DomainItem>> PoolsOf(const StatusResponse& status) const;

 private:
  void AddPoolOptions(OptionTable& table);

  Pools pools_;
  std::string directory_;
  Duration wait_{};
  Duration timeout_ = std::chrono::seconds(5);
  std::string device_;
  std::string domain_;
};

}  // namespace hearth::gms::ctl
