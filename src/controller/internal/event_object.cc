#include "controller/internal/event_object.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "json/time.h"
#include "kube/model/object.h"

namespace hearth::controller::internal {
namespace {

// Limits of the API server's validation.
constexpr size_t kMostNameBytes = 253;
constexpr size_t kMostWordBytes = 128;

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

json::Value Regarding(const EventSubject& about) {
  json::Value regarding = json::Value::Object({{"apiVersion", about.type.ApiVersion()},
                                               {"kind", about.type.kind},
                                               {"name", about.key.name}});
  const auto set = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) {
      regarding.Set(name, value);
    }
  };
  set("namespace", about.key.name_space);
  set("uid", about.uid);
  set("resourceVersion", about.resource_version);
  return regarding;
}

json::Value Series(const EventRecord& record) {
  return json::Value::Object({{"count", record.count},
                              {"lastObservedTime", json::Time{record.last_time}.ToMicroString()}});
}

}  // namespace

std::string EventName(const EventSubject& about, WallTime time) {
  const std::string suffix = fmt::format(".{:x}", time.time_since_epoch().count());
  std::string name = about.key.name.substr(0, kMostNameBytes - suffix.size());
  while (!name.empty() && (name.back() == '.' || name.back() == '-')) {
    name.pop_back();
  }
  // Some objects have names that no event may have, e.g. roles with a colon.
  return (kube::CheckDnsSubdomain(name).ok() ? name : "event") + suffix;
}

json::Value EventObject(const EventRecord& record, const EventRecorder::Options& options) {
  json::Value event = kube::NewObject(kube::types::Events(), {record.name_space(), record.name});
  event.Set("eventTime", json::Time{record.time}.ToMicroString());
  event.Set("reportingController", options.reporting_controller);
  event.Set("reportingInstance", CutText(options.reporting_instance, kMostWordBytes));
  event.Set("action", CutText(record.action, kMostWordBytes));
  event.Set("reason", CutText(record.reason, kMostWordBytes));
  event.Set("regarding", Regarding(record.about));
  event.Set("note", record.note);
  event.Set("type", record.type == EventType::kWarning ? "Warning" : "Normal");
  if (record.count > 1) {
    event.Set("series", Series(record));
  }
  return event;
}

json::Value SeriesPatch(const EventRecord& record) {
  return json::Value::Object({{"series", Series(record)}});
}

std::string CutText(std::string_view text, size_t limit) {
  if (!ValidUtf8(text)) {
    return Excerpt(text, limit);
  }
  size_t end = std::min(text.size(), limit);
  while (end < text.size() && end > 0 && IsContinuation(text[end])) {
    --end;
  }
  return std::string(text.substr(0, end));
}

}  // namespace hearth::controller::internal
