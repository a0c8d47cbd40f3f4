// Whatever Parse accepts, all readers must understand alike; and simdjson must agree on what is
// JSON.
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "json/parse.h"

namespace hearth::json {
namespace {

// A tree built through the View interface alone.
Value Walk(View view) {
  if (view.IsArray()) {
    Value value = Value::Array();
    for (const View item : view.items()) {
      value.Append(Walk(item));
    }
    CHECK(value.items().size() == view.size());
    return value;
  }
  if (view.IsObject()) {
    Value::Members members;
    for (const auto& member : view.members()) {
      members.emplace_back(member.Name(), Walk(member.value));
      CHECK(member.Is(members.back().first));
      CHECK(view[members.back().first].raw() == member.value.raw());
    }
    CHECK(members.size() == view.size());
    return Value::FromMembers(std::move(members));
  }
  if (view.IsString()) {
    CHECK(view.Equals(*view.String()));
    return *view.String();
  }
  return Value(view);
}

void CheckReaders(const Blob& blob) {
  const View view = blob.view();
  const Value tree(view);
  CHECK(Walk(view) == tree) << blob.text();
  const auto again = ParseValue(tree.Write());
  CHECK(again.ok() && *again == tree) << blob.text();
  const auto pretty = Parse(tree.WritePretty());
  CHECK(pretty.ok() && pretty->text() == tree.Write()) << blob.text();
}

// What simdjson has no words for: it reads numbers into machine types, has its own depth, and
// differs on half surrogate pairs.
bool SimdjsonMayDiffer(simdjson::error_code error) {
  return error == simdjson::NUMBER_ERROR || error == simdjson::DEPTH_ERROR;
}

void CompareWithSimdjson(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  const auto error = parser.parse(text.empty() ? "" : text.data(), text.size(), true).get(element);
  const auto ours = Parse(text, {.allow_duplicate_keys = true});
  if (ours.ok()) {
    CHECK(error == simdjson::SUCCESS || SimdjsonMayDiffer(error)) << simdjson::error_message(error);
  } else if (error == simdjson::SUCCESS) {
    CHECK(ours.status().code() == Code::kExhausted ||
          ours.status().message().find("escape") != std::string_view::npos)
        << ours.status().ToString();
  }
}

}  // namespace
}  // namespace hearth::json

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto blob = hearth::json::Parse(text);
  if (blob.ok()) {
    hearth::json::CheckReaders(*blob);
  }
  hearth::json::CompareWithSimdjson(text);
  return 0;
}
