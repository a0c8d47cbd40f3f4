#include "snapshot/protocol/node_names.h"

#include <fmt/format.h>

#include "base/hash.h"

namespace hearth::snapshot {
namespace {

constexpr size_t kMostLabelBytes = 63;
constexpr size_t kMostNameBytes = 253;

std::string Fit(std::string_view text, size_t most) {
  if (text.size() <= most) {
    return std::string(text);
  }
  const std::string hash = fmt::format("-{:016x}", HashBytes(text));
  std::string_view head = text.substr(0, most - hash.size());
  // A dot may not be followed by a dash in the name of an object.
  head = head.substr(0, head.find_last_not_of("-.") + 1);
  return std::string(head) + hash;
}

}  // namespace

std::string NodeLabelValue(std::string_view node) { return Fit(node, kMostLabelBytes); }

std::string AgentLeaseName(std::string_view node) {
  return Fit(fmt::format("{}-{}", kAgentComponent, node), kMostNameBytes);
}

}  // namespace hearth::snapshot
