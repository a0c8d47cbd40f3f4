#include "suite.h"

#include <csignal>
#include <iostream>

namespace hearth::bench {

void AddSuiteOptions(OptionTable& table, SuiteSettings& s) {
  table.Add({.name = "quick",
             .help = "Little data, one short round: shows that it works, not how fast",
             .target = &s.quick});
  table.Add({.name = "rounds",
             .help = "How many rounds; 0: the plan's",
             .target = &s.rounds,
             .check = Between(0, 1000)});
  table.Add({.name = "json", .help = "Write one object a line to this file", .target = &s.json});
  table.Add(
      {.name = "markdown", .help = "Write a Markdown table to this file", .target = &s.markdown});
  table.Add({.name = "note",
             .help = "A line about the conditions, for the Markdown",
             .target = &s.notes});
}

Status TellRows(const std::string& suite, const SuiteSettings& settings,
                const std::vector<Row>& rows, std::vector<std::string> conditions) {
  std::cout << ToTable(rows) << std::flush;
  conditions.insert(conditions.end(), settings.notes.begin(), settings.notes.end());
  RETURN_IF_ERROR(WriteText(settings.json, ToJsonLines(rows)));
  return WriteText(settings.markdown, ToMarkdown(suite, rows, conditions));
}

int SuiteMain(int argc, const char* const* argv, const OptionTable& table,
              const std::function<Status()>& run) {
  std::signal(SIGPIPE, SIG_IGN);  // a contestant that died is noticed by what it does not answer
  const auto parsed = table.Parse(argc, argv);
  if (parsed.ok() && *parsed != OptionTable::Parsed::kRun) {
    std::cout << table.Help();
    return 0;
  }
  const Status status = parsed.ok() ? run() : parsed.status();
  if (!status.ok()) {
    std::cerr << "bench: " << status.message() << "\n";
  }
  return status.ok() ? 0 : 1;
}

}  // namespace hearth::bench
