#include "json/internal/yaml_tag.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/strings.h"

namespace hearth::json::internal {
namespace {

constexpr std::string_view kStandardTag = "tag:yaml.org,2002:";

Status Wrong(const YamlEvent& event, std::string_view what) {
  return InvalidError(AtMark(event.mark(), what));
}

Status UnknownTag(const YamlEvent& event) {
  return Wrong(event, fmt::format("the tag {} is not one of YAML's own; leave it out",
                                  Excerpt(event.tag(), 64)));
}

// "int" for tag:yaml.org,2002:int; nothing for a tag that is not YAML's own.
std::optional<std::string_view> StandardName(std::string_view tag) {
  return tag.starts_with(kStandardTag) ? std::optional(tag.substr(kStandardTag.size()))
                                       : std::nullopt;
}

Result<YamlScalar> DecodeBinary(const YamlEvent& event) {
  Result<std::string> bytes = DecodeBase64(event.text());
  if (!bytes.ok()) {
    return Wrong(event, fmt::format("!!binary: {}", bytes.status().message()));
  }
  if (!ValidUtf8(*bytes)) {
    return Wrong(event,
                 "!!binary holds bytes that are not UTF-8, which JSON cannot hold; leave the "
                 "tag out to keep the base64 text");
  }
  return YamlScalar{YamlType::kString, *std::move(bytes)};
}

struct TypeName {
  std::string_view name;
  YamlType type;
};
constexpr TypeName kTypeNames[] = {{"null", YamlType::kNull},
                                   {"bool", YamlType::kBool},
                                   {"int", YamlType::kInt},
                                   {"merge", YamlType::kMerge}};

// A scalar with one of YAML's own tags.
Result<YamlScalar> ResolveTagged(const YamlEvent& event, std::string_view name) {
  if (name == "str" || name == "timestamp") {
    return YamlScalar{YamlType::kString, event.text()};
  }
  if (name == "binary") {
    return DecodeBinary(event);
  }
  YamlScalar scalar = ResolvePlain(event.text());
  if (name == "float") {
    if (std::string token = FloatToken(event.text()); !token.empty()) {
      return YamlScalar{YamlType::kFloat, Value::Number{std::move(token)}};
    }
    if (scalar.type == YamlType::kInt || scalar.type == YamlType::kFloat ||
        scalar.type == YamlType::kNotFinite) {
      return scalar;
    }
  }
  for (const TypeName& known : kTypeNames) {
    if (known.name == name && known.type == scalar.type) {
      return scalar;
    }
  }
  return Wrong(event, fmt::format("\"{}\" does not fit its tag !!{}", Excerpt(event.text(), 64),
                                  Excerpt(name, 32)));
}

}  // namespace

Result<YamlScalar> ResolveScalar(const YamlEvent& event) {
  const std::string_view tag = event.tag();
  if (tag.empty() && event.IsPlain()) {
    return ResolvePlain(event.text());
  }
  if (tag.empty() || tag == "!") {
    return YamlScalar{YamlType::kString, event.text()};
  }
  const std::optional<std::string_view> name = StandardName(tag);
  return name ? ResolveTagged(event, *name) : UnknownTag(event);
}

Status CheckCollectionTag(const YamlEvent& event, std::string_view own_tags) {
  if (event.tag().empty() || event.tag() == "!") {
    return Status::Ok();
  }
  const std::optional<std::string_view> name = StandardName(event.tag());
  if (!name) {
    return UnknownTag(event);
  }
  const std::vector<std::string_view> own = Split(own_tags, ' ');
  if (std::find(own.begin(), own.end(), *name) == own.end()) {
    return Wrong(event, fmt::format("the tag !!{} does not fit here", Excerpt(*name, 32)));
  }
  return Status::Ok();
}

}  // namespace hearth::json::internal
