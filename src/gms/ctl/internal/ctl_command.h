#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "command_line/command.h"
#include "command_line/text_table.h"
#include "gms/ctl/exit_codes.h"
#include "json/value.h"

namespace hearth::gms::ctl {

using command_line::kExitOk;
using command_line::kExitUsage;
using command_line::Terminal;
using command_line::TextTable;
using json::Value;

// What all commands have in common: -o, exit codes in the help, and how a failure is told.
class CtlCommand : public command_line::Command {
 public:
  // `no`: when the exit code is 1; empty: never.
  explicit CtlCommand(std::string_view name, std::string_view no = "") : name_(name), no_(no) {}

  void AddOptions(OptionTable& table) final;
  int Run(Terminal& terminal) final;

 protected:
  virtual void AddOwnOptions(OptionTable& table) = 0;
  // The exit code; a status is told to the user and ends with kExitFailed.
  virtual Result<int> Work(Terminal& terminal) = 0;
  // Further lines after a failure: what to do about it.
  virtual std::string HintFor(const Status& /*failure*/) const { return ""; }

  bool json() const { return output_ == "json"; }
  std::string_view name() const { return name_; }
  // One line of JSON, out at once.
  static void Print(Terminal& terminal, const Value& value);
  // Tells it and gives kExitUsage.
  int Misused(Terminal& terminal, std::string_view message) const;

 private:
  std::string_view name_;
  std::string_view no_;
  std::string output_ = "text";
};

}  // namespace hearth::gms::ctl
