#include "agent/restore/restored.h"

#include "base/strings.h"
#include "json/parse.h"
#include "json/value.h"

namespace hearth::agent {
namespace {

constexpr std::string_view kPid = "restoredPID";
constexpr std::string_view kLeftToCriu = "leftToCriu";
constexpr std::string_view kPhases = "phases";
constexpr std::string_view kDropped = "droppedConnections";
constexpr std::string_view kCount = "count";
constexpr std::string_view kPeers = "peers";
constexpr std::string_view kName = "name";
constexpr std::string_view kNanoseconds = "nanoseconds";

int64_t Number(const json::Value& map, std::string_view name) {
  const json::Value* const value = map.IsObject() ? map.Find(name) : nullptr;
  return value == nullptr ? 0 : value->Int().value_or(0);
}

std::string Text(const json::Value& map, std::string_view name) {
  const json::Value* const value = map.IsObject() ? map.Find(name) : nullptr;
  return value != nullptr && value->IsString() ? std::string(value->string()) : "";
}

}  // namespace

std::string WriteRestored(const Restored& restored) {
  json::Value phases = json::Value::Array();
  for (const Phase& phase : restored.phases) {
    phases.Append(json::Value::Object(
        {{std::string(kName), phase.name}, {std::string(kNanoseconds), phase.took.count()}}));
  }
  json::Value peers = json::Value::Array();
  for (const std::string& peer : restored.dropped_peers) {
    peers.Append(peer);
  }
  return json::Value::Object(
             {{std::string(kPid), restored.pid},
              {std::string(kLeftToCriu), restored.left_to_criu},
              {std::string(kPhases), std::move(phases)},
              {std::string(kDropped),
               json::Value::Object({{std::string(kCount), restored.dropped_connections},
                                    {std::string(kPeers), std::move(peers)}})}})
      .Write();
}

Result<Restored> ReadRestored(std::string_view output) {
  const std::string_view text = Trim(output);
  const size_t line_end = text.rfind('\n');
  const auto map =
      json::ParseValue(line_end == std::string_view::npos ? text : text.substr(line_end + 1));
  if (!map.ok() || Number(*map, kPid) <= 0) {
    return InternalError("nsrestore told no process");
  }
  Restored restored{.pid = static_cast<int>(Number(*map, kPid)),
                    .left_to_criu = Text(*map, kLeftToCriu)};
  const json::Value* const phases = map->Find(kPhases);
  for (size_t i = 0; phases != nullptr && phases->IsArray() && i < phases->items().size(); ++i) {
    const json::Value& phase = phases->items()[i];
    restored.phases.push_back({Text(phase, kName), Duration(Number(phase, kNanoseconds))});
  }
  if (const json::Value* const dropped = map->Find(kDropped); dropped != nullptr) {
    restored.dropped_connections = static_cast<uint64_t>(Number(*dropped, kCount));
    const json::Value* const peers = dropped->Find(kPeers);
    for (size_t i = 0; peers != nullptr && peers->IsArray() && i < peers->items().size(); ++i) {
      restored.dropped_peers.push_back(peers->items()[i].StringOr(""));
    }
  }
  return restored;
}

}  // namespace hearth::agent
