#include <algorithm>
#include <map>

#include "dynamo/view/internal/chain_parts.h"

namespace hearth::dynamo::view {
namespace {

using json::View;

std::string LastSeen(View event) {
  std::string last = event["eventTime"].StringOr("");
  for (const View time : {event["series"]["lastObservedTime"], event["deprecatedLastTimestamp"],
                          event["metadata"]["creationTimestamp"]}) {
    last = std::max(last, time.StringOr(""));
  }
  return last;
}

bool Says(const ChainNode& node, const std::string& reason, const std::string& note) {
  return std::any_of(node.problems.begin(), node.problems.end(), [&](const Problem& problem) {
    return problem.reason == reason || problem.message == note;
  });
}

}  // namespace

void AddEvents(const GraphObjects& objects, std::string_view kind, std::string_view name,
               ChainNode& node) {
  if (node.settled) {
    return;
  }
  struct Seen {
    std::string time;
    std::string note;
  };
  std::map<std::string, Seen> newest;  // by reason
  for (const kube::Object& event : objects.events) {
    const View about = event["regarding"];
    if (!event["type"].Equals("Warning") || !about["kind"].Equals(kind) ||
        !about["name"].Equals(name)) {
      continue;
    }
    Seen& seen = newest[event["reason"].StringOr("")];
    if (std::string time = LastSeen(event.view()); time >= seen.time) {
      seen = {std::move(time), event["note"].StringOr("")};
    }
  }
  for (const auto& [reason, seen] : newest) {
    if (!Says(node, reason, seen.note)) {
      node.problems.push_back({reason, seen.note + " (event)"});
    }
  }
}

}  // namespace hearth::dynamo::view
