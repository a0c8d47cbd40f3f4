#include "cli/bundle/redact.h"

#include <fmt/format.h>

#include "base/secret_name.h"

namespace hearth::bundle {
namespace {

using json::Value;

constexpr const char* kNamedLikeSecret = "it is called like a secret";
constexpr const char* kLooksLikeSecret = "it looks like a token, a key or a password";

bool IsLastApplied(std::string_view annotation) {
  return annotation.ends_with("last-applied-configuration") ||
         annotation.ends_with("last-applied-config");
}

// References to Secrets say where one is, not what it is.
bool IsReference(std::string_view member) {
  return member.ends_with("Name") || member.ends_with("Ref") || member == "envFromSecret" ||
         member == "key";
}

// Of "example.com/api-token" the last part.
std::string_view KeyName(std::string_view key) {
  const size_t slash = key.rfind('/');
  return slash == std::string_view::npos ? key : key.substr(slash + 1);
}

class Redactor {
 public:
  std::vector<Redaction> Redact(Value& object) {
    if (const Value* const kind = object.Find("kind");
        kind != nullptr && kind->IsString() && kind->string() == "Secret") {
      for (const char* const data : {"data", "stringData"}) {
        HideAll(object.Find(data), data);
      }
    }
    Walk(object, "");
    return std::move(redactions_);
  }

 private:
  void Hide(Value& value, std::string path, const char* why) {
    value = Value(kRedacted);
    redactions_.push_back({std::move(path), why});
  }

  void HideAll(Value* map, const std::string& path) {
    if (map == nullptr || !map->IsObject()) {
      return;
    }
    for (auto& [name, value] : map->members()) {
      Hide(value, fmt::format("{}[{}]", path, name), "it is data of a Secret");
    }
  }

  // Also of pod templates and of items of lists.
  void CleanMetadata(Value& metadata, const std::string& path) {
    if (!metadata.IsObject()) {
      return;
    }
    metadata.Erase("managedFields");
    Value* const annotations = metadata.Find("annotations");
    if (annotations == nullptr || !annotations->IsObject()) {
      return;
    }
    for (auto& [name, value] : annotations->members()) {
      if (IsLastApplied(name)) {
        Hide(value, fmt::format("{}.annotations[{}]", path, name),
             "it repeats the object as it was applied");
      }
    }
  }

  void Walk(Value& value, const std::string& path) {
    if (value.IsObject()) {
      for (auto& [name, member] : value.members()) {
        WalkMember(name, member, path.empty() ? name : fmt::format("{}.{}", path, name));
      }
    } else if (value.IsArray()) {
      WalkArray(value, path);
    } else if (value.IsString()) {
      Scrub(value, path);
    }
  }

  void WalkMember(const std::string& name, Value& member, const std::string& path) {
    if (name == "metadata") {
      CleanMetadata(member, path);
    }
    const bool secret = !IsReference(name) && LooksLikeSecretName(KeyName(name));
    if (secret && member.IsString() && member.string() != kRedacted) {
      Hide(member, path, kNamedLikeSecret);
      return;
    }
    Walk(member, path);
  }

  void WalkArray(Value& array, const std::string& path) {
    bool hide_next = false;  // the value of an option that stands before it
    for (size_t i = 0; i < array.items().size(); ++i) {
      Value& item = array.items()[i];
      const std::string at = fmt::format("{}[{}]", path, i);
      if (item.IsObject() && HideVariable(item, path)) {
        continue;
      }
      if (hide_next && item.IsString()) {
        hide_next = false;
        Hide(item, at, "it is the value of an option that is called like a secret");
        continue;
      }
      hide_next = item.IsString() && item.string().starts_with("-") &&
                  item.string().find_first_of("= ") == std::string::npos &&
                  LooksLikeSecretName(item.string());
      Walk(item, at);
    }
  }

  // {name: HF_TOKEN, value: ...}
  bool HideVariable(Value& item, const std::string& path) {
    const Value* const name = item.Find("name");
    Value* const value = item.Find("value");
    if (name == nullptr || value == nullptr || !name->IsString() || !value->IsString() ||
        !LooksLikeSecretName(name->string())) {
      return false;
    }
    Hide(*value, fmt::format("{}[{}]", path, name->string()), kNamedLikeSecret);
    return true;
  }

  void Scrub(Value& value, const std::string& path) {
    RedactedText redacted = RedactText(value.string());
    if (redacted.count > 0) {
      value = Value(std::move(redacted.text));
      redactions_.push_back({path, kLooksLikeSecret});
    }
  }

  std::vector<Redaction> redactions_;
};

}  // namespace

std::vector<Redaction> RedactObject(Value& object) { return Redactor().Redact(object); }

}  // namespace hearth::bundle
