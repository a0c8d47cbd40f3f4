#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "command_line/command.h"
#include "command_line/text_table.h"
#include "command_line/words.h"
#include "json/value.h"
#include "snapshot/ctl/exit_codes.h"

namespace hearth::snapshot::ctl {

using command_line::kExitOk;
using command_line::SizeText;
using command_line::Terminal;
using command_line::TextTable;
using json::Value;

// What all commands have in common: -o, exit codes in the help, and how a failure is told.
class CtlCommand : public command_line::Command {
 public:
  // `no`: when the exit code is 2; empty: never.
  explicit CtlCommand(std::string_view name, std::string_view no = "") : name_(name), no_(no) {}

  void AddOptions(OptionTable& table) final;
  int Run(Terminal& terminal) final;

 protected:
  virtual void AddOwnOptions(OptionTable& table) = 0;
  // The exit code; a status is told to the user and ends with kExitFailed.
  virtual Result<int> Work(Terminal& terminal) = 0;

  bool json() const { return output_ == "json"; }
  // One line of JSON, out at once.
  static void Print(Terminal& terminal, const Value& value);

 private:
  std::string_view name_;
  std::string_view no_;
  std::string output_ = "text";
};

// A list of texts for JSON.
template <typename Texts>
Value TextArray(const Texts& texts) {
  Value array = Value::Array();
  for (const auto& text : texts) {
    array.Append(Value(std::string_view(text)));
  }
  return array;
}

}  // namespace hearth::snapshot::ctl
