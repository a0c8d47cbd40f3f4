#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "statistics.h"

// What a run found out, for people and for programs.
namespace hearth::bench {

enum class Better { kHigher, kLower };

struct Row {
  std::string bench;  // its ID
  std::string what;   // for people
  Better better = Better::kLower;
  std::optional<double> goal;   // of the ratio; nothing: told for context
  std::optional<Spread> ratio;  // nothing when it was not run
  double ours = 0;              // may be there when the peer was not run
  double peer = 0;
  std::string peer_name;
  std::string unit;
  std::string not_run;  // why, when it was not

  bool Met() const;  // also when there is no goal
};

std::string ToTable(const std::vector<Row>& rows);
// One object a line.
std::string ToJsonLines(const std::vector<Row>& rows);
// A section of a page: `conditions` are lines that say where and how it was measured.
std::string ToMarkdown(const std::string& suite, const std::vector<Row>& rows,
                       const std::vector<std::string>& conditions);
// Does nothing without a path.
Status WriteText(const std::string& path, const std::string& text);

}  // namespace hearth::bench
