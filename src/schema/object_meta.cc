#include "schema/object_meta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "schema/internal/go_text.h"
#include "schema/names.h"

namespace hearth::schema {
namespace {

using json::Value;

constexpr int64_t kMaxAnnotationBytes = 256 << 10;
constexpr int64_t kMaxManagerName = 128;
constexpr int64_t kMaxSubresourceName = 256;

std::string Text(const Value& object, std::string_view name) {
  const Value* value = object.Find(name);
  return value == nullptr ? "" : value->StringOr("");
}

const Value::Items& List(const Value& object, std::string_view name) {
  static const Value::Items kNone;
  const Value* value = object.Find(name);
  return value != nullptr && value->IsArray() ? value->items() : kNone;
}

const Value::Members& Map(const Value& object, std::string_view name) {
  static const Value::Members kNone;
  const Value* value = object.Find(name);
  return value != nullptr && value->IsObject() ? value->members() : kNone;
}

class Check {
 public:
  Check(const Value& meta, const FieldPath& path, ErrorList& errors)
      : meta_(meta), path_(path), errors_(errors) {}

  void Names(const ObjectMetaRules& rules) {
    const std::string generate = Text(meta_, "generateName");
    if (!generate.empty()) {
      Tell("generateName", generate,
           rules.embedded ? CheckPathSegment(generate, true)
                          : CheckDns1123Subdomain(MaskDash(generate)));
    }
    const std::string name = Text(meta_, "name");
    if (!name.empty()) {
      Tell("name", name,
           rules.embedded ? CheckPathSegment(name, false) : CheckDns1123Subdomain(name));
    } else if (!rules.embedded) {
      errors_.Add(Required(path_.Child("name"), "name or generateName is required"));
    }
    Namespace(rules);
  }

  void Generation() {
    const Value* generation = meta_.Find("generation");
    if (generation != nullptr && generation->Int().value_or(0) < 0) {
      errors_.Add(
          Invalid(path_.Child("generation"), *generation, "must be greater than or equal to 0"));
    }
  }

  void Labels() {
    for (const auto& [key, value] : Map(meta_, "labels")) {
      Tell("labels", key, CheckQualifiedName(key));
      Tell("labels", value.StringOr(""), CheckLabelValue(value.StringOr("")));
    }
  }

  void Annotations() {
    int64_t bytes = 0;
    for (const auto& [key, value] : Map(meta_, "annotations")) {
      std::string lower = key;
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      Tell("annotations", key, CheckQualifiedName(lower));
      bytes += static_cast<int64_t>(key.size() + (value.IsString() ? value.string().size() : 0));
    }
    if (bytes > kMaxAnnotationBytes) {
      errors_.Add(TooLong(path_.Child("annotations"), kMaxAnnotationBytes));
    }
  }

  void Owners() {
    const FieldPath path = path_.Child("ownerReferences");
    std::string controller;
    for (const Value& owner : List(meta_, "ownerReferences")) {
      Owner(owner, path);
      const Value* controls = owner.Find("controller");
      if (controls == nullptr || controls->kind() != json::Kind::kBool || !controls->boolean()) {
        continue;
      }
      const std::string name = Text(owner, "kind") + "/" + Text(owner, "name");
      if (controller.empty()) {
        controller = name;
      } else {
        errors_.Add({ErrorType::kInvalid, path.ToString(), meta_.Find("ownerReferences")->Write(),
                     fmt::format("Only one reference can have Controller set to true. Found "
                                 "\"true\" in references for {} and {}",
                                 controller, name)});
      }
    }
  }

  void Finalizers() {
    bool orphan = false;
    bool foreground = false;
    for (const Value& finalizer : List(meta_, "finalizers")) {
      const std::string name = finalizer.StringOr("");
      Tell("finalizers", name, CheckQualifiedName(name));
      orphan = orphan || name == "orphan";
      foreground = foreground || name == "foregroundDeletion";
    }
    if (orphan && foreground) {
      errors_.Add(Invalid(path_.Child("finalizers"), *meta_.Find("finalizers"),
                          "finalizer orphan and foregroundDeletion cannot be both set"));
    }
  }

  void Managers() {
    const FieldPath path = path_.Child("managedFields");
    const Value::Items& managers = List(meta_, "managedFields");
    for (size_t i = 0; i < managers.size(); ++i) {
      Manager(managers[i], path.Item(i));
    }
  }

  void Immutable(const Value& old, std::string_view name) {
    static const Value kNull;
    const Value* now = meta_.Find(name);
    const Value* before = old.Find(name);
    if (!((now == nullptr ? kNull : *now) == (before == nullptr ? kNull : *before))) {
      errors_.Add(Invalid(path_.Child(name), now == nullptr ? kNull : *now, "field is immutable"));
    }
  }

 private:
  void Tell(std::string_view field, const std::string& value,
            const std::vector<std::string>& messages) {
    for (const std::string& message : messages) {
      errors_.Add(Invalid(path_.Child(field), value, message));
    }
  }

  // A prefix may end with a dash: something will follow.
  static std::string MaskDash(std::string name) {
    if (name.size() > 1 && name.back() == '-') {
      name.resize(name.size() - 2);
      name += 'a';
    }
    return name;
  }

  void Namespace(const ObjectMetaRules& rules) {
    const std::string name = Text(meta_, "namespace");
    if (rules.embedded ? !name.empty() : rules.namespaced) {
      if (name.empty()) {
        errors_.Add(Required(path_.Child("namespace")));
      } else {
        Tell("namespace", name, CheckDns1123Label(name));
      }
    } else if (!name.empty()) {
      errors_.Add(Forbidden(path_.Child("namespace"), "not allowed on this type"));
    }
  }

  void Owner(const Value& owner, const FieldPath& path) {
    const std::string api_version = Text(owner, "apiVersion");
    const size_t slash = api_version.find('/');
    const bool two =
        slash != std::string::npos && api_version.find('/', slash + 1) != std::string::npos;
    const std::string version = two                          ? ""
                                : slash == std::string::npos ? api_version
                                                             : api_version.substr(slash + 1);
    if (version.empty()) {
      errors_.Add(Invalid(path.Child("apiVersion"), api_version, "version must not be empty"));
    }
    for (const char* name : {"kind", "name", "uid"}) {
      if (Text(owner, name).empty()) {
        errors_.Add(Invalid(path.Child(name), "", "must not be empty"));
      }
    }
    if (api_version == "v1" && Text(owner, "kind") == "Event") {
      errors_.Add({ErrorType::kInvalid, path.ToString(), owner.Write(),
                   "/v1, Kind=Event is disallowed from being an owner"});
    }
  }

  void Manager(const Value& manager, const FieldPath& path) {
    const std::string operation = Text(manager, "operation");
    if (operation != "Apply" && operation != "Update") {
      errors_.Add(Invalid(path.Child("operation"), operation, "must be `Apply` or `Update`"));
    }
    const std::string type = Text(manager, "fieldsType");
    if (!type.empty() && type != "FieldsV1") {
      errors_.Add(Invalid(path.Child("fieldsType"), type, "must be `FieldsV1`"));
    }
    if (static_cast<int64_t>(Text(manager, "manager").size()) > kMaxManagerName) {
      errors_.Add(TooLong(path.Child("manager"), kMaxManagerName));
    }
    if (static_cast<int64_t>(Text(manager, "subresource").size()) > kMaxSubresourceName) {
      errors_.Add(TooLong(path.Child("subresource"), kMaxSubresourceName));
    }
  }

  const Value& meta_;
  const FieldPath& path_;
  ErrorList& errors_;
};

void CheckNoNewFinalizers(const Value& meta, const Value& old, const FieldPath& path,
                          ErrorList& errors) {
  const Value* deleted = old.Find("deletionTimestamp");
  if (deleted == nullptr || deleted->IsNull()) {
    return;
  }
  const Value::Items& before = List(old, "finalizers");
  std::string fresh;
  for (const Value& finalizer : List(meta, "finalizers")) {
    if (std::find(before.begin(), before.end(), finalizer) == before.end()) {
      fresh += (fresh.empty() ? "" : ", ") + internal::GoQuote(finalizer.StringOr(""));
    }
  }
  if (!fresh.empty()) {
    errors.Add(Forbidden(path.Child("finalizers"),
                         "no new finalizers can be added if the object is being deleted, found new "
                         "finalizers []string{" +
                             fresh + "}"));
  }
}

}  // namespace

std::vector<FieldError> ValidateObjectMeta(const Value& metadata, const ObjectMetaRules& rules,
                                           const FieldPath& path) {
  ErrorList errors;
  Check check(metadata, path, errors);
  check.Names(rules);
  check.Generation();
  check.Labels();
  check.Annotations();
  check.Owners();
  check.Finalizers();
  check.Managers();
  return errors.Take();
}

std::vector<FieldError> ValidateObjectMetaUpdate(const Value& metadata, const Value& old,
                                                 const FieldPath& path) {
  ErrorList errors;
  CheckNoNewFinalizers(metadata, old, path, errors);
  if (Text(metadata, "resourceVersion").empty()) {
    errors.Add(Invalid(path.Child("resourceVersion"), "", "must be specified for an update"));
  }
  const auto generation = [](const Value& meta) {
    const Value* value = meta.Find("generation");
    return value == nullptr ? 0 : value->Int().value_or(0);
  };
  if (generation(metadata) < generation(old)) {
    errors.Add(Invalid(path.Child("generation"), generation(metadata), "must not be decremented"));
  }
  Check check(metadata, path, errors);
  for (const char* name : {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp",
                           "deletionGracePeriodSeconds"}) {
    check.Immutable(old, name);
  }
  check.Labels();
  check.Annotations();
  check.Owners();
  check.Managers();
  return errors.Take();
}

}  // namespace hearth::schema
