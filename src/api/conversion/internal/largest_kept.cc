#include "api/conversion/internal/largest_kept.h"

#include "base/strings.h"
#include "json/parse.h"

namespace hearth::api::conversion::internal {
namespace {

using json::Value;

constexpr int kMostSteps = 8;  // each has what is below it written
constexpr size_t kMostPathBytes = 256;

struct Place {
  const Value* value = nullptr;
  std::string step;
  size_t bytes = 0;
};

void Consider(const Value& value, std::string step, Place& largest) {
  const size_t bytes = value.Write().size();
  if (largest.value == nullptr || bytes > largest.bytes) {
    largest = {&value, std::move(step), bytes};
  }
}

// Items are known by their names; others cannot be told apart.
Place LargestIn(const Value& value) {
  Place largest;
  if (value.IsObject()) {
    for (const auto& [name, member] : value.members()) {
      Consider(member, "." + name, largest);
    }
  } else if (value.IsArray()) {
    for (const Value& item : value.items()) {
      if (const Value* name = item.IsObject() ? item.Find("name") : nullptr) {
        Consider(item, "[" + name->StringOr("") + "]", largest);
      }
    }
  }
  return largest;
}

Place LargestBelow(const Value& tree, const std::string& part) {
  Place at{&tree, part, tree.Write().size()};
  for (int i = 0; i < kMostSteps; ++i) {
    Place next = LargestIn(*at.value);
    if (next.value == nullptr || next.bytes < at.bytes / 2) {
      break;
    }
    at = {next.value, at.step + next.step, next.bytes};
  }
  return at;
}

// "/services/worker/x" is spec.services.worker.x.
std::string Dotted(std::string path, const std::string& part) {
  for (char& c : path) {
    c = c == '/' ? '.' : c;
  }
  return part + path;
}

Place LargestRecord(const Value& records, const std::string& part) {
  Place largest;
  for (const Value& record : records.items()) {
    const Value* path = record.IsObject() ? record.Find("path") : nullptr;
    if (path != nullptr) {
      Consider(record, Dotted(path->StringOr(""), part), largest);
    }
  }
  return largest;
}

}  // namespace

std::string LargestKept(std::string_view envelope, const std::string& part) {
  const auto read = json::ParseValue(envelope, {.max_depth = 2'000});
  if (!read.ok() || !read->IsObject()) {
    return part;
  }
  Place largest;
  if (const Value* tree = read->Find(part)) {
    largest = LargestBelow(*tree, part);
  }
  if (const Value* records = read->Find("rawJSON"); records != nullptr && records->IsArray()) {
    const Place record = LargestRecord(*records, part);
    if (record.bytes > largest.bytes) {
      largest = record;
    }
  }
  return largest.value == nullptr ? part : Excerpt(largest.step, kMostPathBytes);
}

}  // namespace hearth::api::conversion::internal
