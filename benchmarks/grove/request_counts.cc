#include "request_counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/parse.h"
#include "json/time.h"

namespace hearth::bench {
namespace {

constexpr int64_t kHttpCreated = 201;
constexpr int64_t kHttpConflict = 409;

size_t CountOf(const std::map<std::string, size_t>& counts, const std::string& resource) {
  const auto found = counts.find(resource);
  return found == counts.end() ? 0 : found->second;
}

bool Reads(std::string_view verb) { return verb == "get" || verb == "list"; }

}  // namespace

Status RequestCounts::Add(std::string_view line) {
  ASSIGN_OR_RETURN(const json::Blob event, json::Parse(line));
  const json::View request = event.view();
  const std::string verb = request["verb"].StringOr("");
  const auto ended = json::Time::Parse(request["stageTimestamp"].StringOr(""));
  if (verb.empty() || !ended.ok() || !request["stage"].Equals("ResponseComplete")) {
    return InvalidError("not a request that has ended: " + std::string(line.substr(0, 200)));
  }
  const json::View object = request["objectRef"];
  const std::string resource = object["resource"].StringOr("");
  const std::string subresource = object["subresource"].StringOr("");
  if (verb == "watch" || resource == "leases") {
    return {};
  }
  const int64_t code = request["responseStatus"]["code"].Int().value_or(0);
  ++requests_;
  ++kinds_[fmt::format("{} {}{}{}", verb, resource, subresource.empty() ? "" : "/", subresource)];
  conflicts_ += code == kHttpConflict ? 1 : 0;
  last_ = std::max(last_, ended->at);
  if (Reads(verb)) {
    return {};
  }
  if (resource == "events") {
    ++events_;
  } else if (subresource == "status") {
    ++status_[resource];
  } else {
    ++writes_;
    ++written_[resource];
    last_write_ = std::max(last_write_, ended->at);
    if (code == kHttpCreated && subresource.empty()) {
      ++created_;
      last_created_ = std::max(last_created_, ended->at);
    }
  }
  return {};
}

size_t RequestCounts::status_writes(const std::string& resource) const {
  return CountOf(status_, resource);
}

size_t RequestCounts::writes_to(const std::string& resource) const {
  return CountOf(written_, resource);
}

std::string RequestCounts::ToString() const {
  std::string text;
  for (const auto& [kind, count] : kinds_) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
  }
  return text;
}

}  // namespace hearth::bench
