#include "admission/grove/internal/words.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "admission/rules/reading.h"
#include "schema/names.h"

namespace hearth::admission::grove {
namespace {

constexpr int64_t kMaxAnnotationBytes = 256 << 10;

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void Tell(const Rule& rule, const schema::FieldPath& path, const json::Value& value,
          const std::vector<std::string>& wrong, Findings& findings) {
  for (const std::string& text : wrong) {
    findings.Add(rule, schema::Invalid(path, value, text));
  }
}

}  // namespace

void CheckSubdomain(const Rule& rule, const schema::FieldPath& path, const json::Value& value,
                    Findings& findings) {
  if (value.IsString()) {
    Tell(rule, path, value, schema::CheckDns1123Subdomain(value.string()), findings);
  }
}

void CheckPositive(const Rule& rule, const schema::FieldPath& path, const json::Value& object,
                   std::string_view member, Findings& findings) {
  const auto number = Integer(object, member);
  if (number.has_value() && *number <= 0) {
    findings.Add(rule, schema::Invalid(path.Child(member), Member(object, member), kPositive));
  }
}

schema::FieldError DuplicateOf(const schema::FieldPath& path, const json::Value& value,
                               std::string detail) {
  schema::FieldError error = schema::Duplicate(path, value);
  error.detail = std::move(detail);
  return error;
}

void CheckLabels(const Rule& rule, const schema::FieldPath& path, const json::Value& object,
                 Findings& findings) {
  for (const auto& [key, value] : Members(object, "labels")) {
    Tell(rule, path.Child("labels"), key, schema::CheckQualifiedName(key), findings);
    Tell(rule, path.Child("labels").Key(key), value, schema::CheckLabelValue(Text(&value)),
         findings);
  }
}

void CheckAnnotations(const Rule& rule, const schema::FieldPath& path, const json::Value& object,
                      Findings& findings) {
  int64_t bytes = 0;
  for (const auto& [key, value] : Members(object, "annotations")) {
    Tell(rule, path.Child("annotations"), key, schema::CheckQualifiedName(Lower(key)), findings);
    bytes += static_cast<int64_t>(key.size() + Text(&value).size());
  }
  if (bytes > kMaxAnnotationBytes) {
    findings.Add(rule, schema::TooLong(path.Child("annotations"), kMaxAnnotationBytes));
  }
}

}  // namespace hearth::admission::grove
