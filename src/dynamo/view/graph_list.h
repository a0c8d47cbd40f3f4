#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "json/value.h"
#include "json/view.h"

// Graphs one below the other, as they say themselves. Pure.
namespace hearth::dynamo {

struct GraphRow {
  std::string name_space;
  std::string name;
  std::string ready;  // True, False, Unknown
  std::string state;
  std::string backend;
  int64_t components = 0;
  int64_t ready_components = 0;
  int64_t ready_checkpoints = 0;
  int64_t checkpoints = 0;
  std::optional<int64_t> restored;  // workers that run now; nothing: it is not said
  std::optional<int64_t> cold;
  std::string reason;  // why it is not ready
  std::string message;
  std::optional<WallTime> created;

  // Of a DynamoGraphDeployment v1beta1.
  static GraphRow Of(json::View graph);
};

std::string ToText(const std::vector<GraphRow>& rows, bool with_namespaces, WallTime now);
// For machines; the shape is in docs/graphs-cli.md.
json::Value ToJson(const std::vector<GraphRow>& rows);

// How old something is, "3m12s"; "-" when nobody knows.
std::string AgeOf(const std::optional<WallTime>& created, WallTime now);

}  // namespace hearth::dynamo
