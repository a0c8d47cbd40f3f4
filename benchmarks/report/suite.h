#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/options.h"
#include "report.h"

namespace hearth::bench {

// What every suite is asked alike.
struct SuiteSettings {
  bool quick = false;
  int64_t rounds = 0;  // 0: the plan's
  std::string json;
  std::string markdown;
  std::vector<std::string> notes;

  size_t RoundsOr(size_t planned) const {
    return rounds > 0 ? static_cast<size_t>(rounds) : planned;
  }
};
void AddSuiteOptions(OptionTable& table, SuiteSettings& settings);

// Prints the table, and writes the files that were asked for. The notes come after `conditions`.
Status TellRows(const std::string& suite, const SuiteSettings& settings,
                const std::vector<Row>& rows, std::vector<std::string> conditions);

// A program's whole life: options, `run`, exit code.
int SuiteMain(int argc, const char* const* argv, const OptionTable& table,
              const std::function<Status()>& run);

}  // namespace hearth::bench
