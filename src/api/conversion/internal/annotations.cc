#include "api/conversion/internal/annotations.h"

namespace hearth::api::conversion::internal {
namespace {

using json::Value;

// How a text begins that stands where there were no annotations, but not nothing either. Canonical
// JSON has this member first.
constexpr std::string_view kWasEmpty = R"({"annotations":{},)";
constexpr std::string_view kWasNull = R"({"annotations":null,)";

bool IsOurs(const AnnotationNames& names, std::string_view annotation) {
  return annotation == names.spec || annotation == names.status;
}

// Absent, null or an object without any of ours.
std::optional<Value> Others(const Value& metadata, const AnnotationNames& names) {
  const Value* annotations = metadata.Find("annotations");
  if (annotations == nullptr || !annotations->IsObject() || annotations->members().empty()) {
    return annotations == nullptr ? std::nullopt : std::optional(*annotations);
  }
  Value others = Value::Object();
  bool was_empty = false;
  bool was_null = false;
  for (const auto& [name, text] : annotations->members()) {
    if (!IsOurs(names, name)) {
      others.members().emplace_back(name, text);
    } else if (text.IsString()) {
      was_empty = was_empty || text.string().starts_with(kWasEmpty);
      was_null = was_null || text.string().starts_with(kWasNull);
    }
  }
  if (!others.members().empty() || was_empty) {
    return others;
  }
  return was_null ? std::optional(Value()) : std::nullopt;
}

// Remembers in one of the texts what annotations were without ours.
void Remember(const std::optional<Value>& others, SavedTexts& saved) {
  if (!others.has_value() || (others->IsObject() && !others->members().empty())) {
    return;
  }
  std::optional<std::string>& text = saved.spec.has_value() ? saved.spec : saved.status;
  if (text.has_value()) {
    text = std::string(others->IsNull() ? kWasNull : kWasEmpty) + text->substr(1);
  }
}

}  // namespace

std::optional<std::string_view> FindAnnotation(const Value& metadata, std::string_view name) {
  const Value* annotations = metadata.Find("annotations");
  const Value* text = annotations == nullptr ? nullptr : annotations->Find(name);
  return text == nullptr || !text->IsString() ? std::nullopt
                                              : std::optional<std::string_view>(text->string());
}

Value WithSaved(const Value& metadata, const AnnotationNames& names, SavedTexts saved) {
  std::optional<Value> annotations = Others(metadata, names);
  Remember(annotations, saved);
  for (const auto& [name, text] :
       {std::pair(names.spec, &saved.spec), {names.status, &saved.status}}) {
    if (text->has_value()) {
      if (!annotations.has_value() || annotations->IsNull()) {
        annotations = Value::Object();
      }
      annotations->Set(name, *std::move(*text));
    }
  }
  Value result = Value::Object();
  for (const auto& [name, member] : metadata.members()) {
    if (name != "annotations") {
      result.members().emplace_back(name, member);
    }
  }
  if (annotations.has_value()) {
    result.Set("annotations", *std::move(annotations));
  }
  return result;
}

}  // namespace hearth::api::conversion::internal
