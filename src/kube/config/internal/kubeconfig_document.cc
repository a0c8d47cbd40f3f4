#include "kube/config/internal/kubeconfig_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/strings.h"
#include "json/yaml.h"

namespace hearth::kube::internal {
namespace {

const json::Value* Present(const json::Value& object, std::string_view member) {
  const json::Value* value = object.Find(member);
  return value == nullptr || value->IsNull() ? nullptr : value;
}

bool IsEmpty(const json::Value& value) {
  return (value.IsString() && value.string().empty()) ||
         (value.IsArray() && value.items().empty()) ||
         (value.IsObject() && value.members().empty());
}

Status WrongFile(const KubeconfigFile& file, std::string_view message) {
  return InvalidError(fmt::format("kubeconfig {}: {}", file.path, message));
}

// An empty file is an empty kubeconfig, as for kubectl.
Result<json::Value> ReadDocument(const KubeconfigFile& file) {
  auto documents = json::ParseYaml(file.text);
  if (!documents.ok()) {
    return WrongFile(file, fmt::format("it is not valid YAML: {}", documents.status().message()));
  }
  if (documents->empty()) {
    return json::Value::Object();
  }
  if (documents->size() > 1 || !documents->front().IsObject()) {
    return WrongFile(file, "it must hold one object of kind Config");
  }
  const std::string kind = documents->front().Find("kind") == nullptr
                               ? "Config"
                               : documents->front().Find("kind")->StringOr("");
  if (kind != "Config") {
    return WrongFile(file,
                     fmt::format("its kind is \"{}\", not Config; is it another file that was "
                                 "meant?",
                                 Excerpt(kind, 40)));
  }
  return std::move(documents->front());
}

}  // namespace

bool KubeconfigEntry::Has(std::string_view member) const {
  const json::Value* value = Present(body_, member);
  return value != nullptr && !IsEmpty(*value);
}

Result<std::string> KubeconfigEntry::Text(std::string_view member) const {
  const json::Value* value = Present(body_, member);
  if (value == nullptr) {
    return std::string();
  }
  if (!value->IsString()) {
    return Error(Code::kInvalid, fmt::format("{} must be a string, not a {}; put it in quotes",
                                             member, json::KindName(value->kind())));
  }
  return value->string();
}

Result<bool> KubeconfigEntry::Flag(std::string_view member, bool otherwise) const {
  const json::Value* value = Present(body_, member);
  if (value == nullptr) {
    return otherwise;
  }
  if (value->kind() != json::Kind::kBool) {
    return Error(Code::kInvalid, fmt::format("{} must be true or false", member));
  }
  return value->boolean();
}

Result<std::string> KubeconfigEntry::Base64(std::string_view member) const {
  ASSIGN_OR_RETURN(const std::string text, Text(member));
  auto decoded = DecodeBase64(text);
  if (!decoded.ok()) {
    return Error(Code::kInvalid, fmt::format("{} is not base64", member));
  }
  return decoded;
}

Result<std::string> KubeconfigEntry::Path(std::string_view member) const {
  ASSIGN_OR_RETURN(const std::string path, Text(member));
  return ResolvePath(path);
}

std::string KubeconfigEntry::ResolvePath(const std::string& path) const {
  const size_t slash = file_.rfind('/');
  if (path.empty() || path.front() == '/' || slash == std::string::npos) {
    return path;
  }
  return file_.substr(0, slash + 1) + path;
}

Status KubeconfigEntry::Error(Code code, std::string_view message) const {
  return Status(code, fmt::format("kubeconfig {}, {} {}: {}", file_, what_, name_, message));
}

Status KubeconfigDocument::Add(const KubeconfigFile& file) {
  files_.push_back(file.path);
  ASSIGN_OR_RETURN(const json::Value document, ReadDocument(file));
  RETURN_IF_ERROR(Merge(document, file, "clusters", "cluster", clusters_));
  RETURN_IF_ERROR(Merge(document, file, "users", "user", users_));
  RETURN_IF_ERROR(Merge(document, file, "contexts", "context", contexts_));
  const json::Value* current = Present(document, "current-context");
  if (current != nullptr && !current->IsString()) {
    return WrongFile(file, "current-context must be a string; put it in quotes");
  }
  if (current != nullptr && current_context_.empty()) {
    current_context_ = current->string();
  }
  return Status::Ok();
}

// A list of {name: .., <what>: {..}}.
Status KubeconfigDocument::Merge(const json::Value& document, const KubeconfigFile& file,
                                 std::string_view list, const std::string& what, Entries& into) {
  const json::Value* items = Present(document, list);
  if (items == nullptr) {
    return Status::Ok();
  }
  if (!items->IsArray()) {
    return WrongFile(file, fmt::format("{} must be a list", list));
  }
  Entries added;
  for (const json::Value& item : items->items()) {
    const json::Value* name = Present(item, "name");
    const json::Value* body = Present(item, what);
    if (name == nullptr || !name->IsString() || (body != nullptr && !body->IsObject())) {
      return WrongFile(file, fmt::format("each item of {} must have a name (a string) and a {} (an "
                                         "object)",
                                         list, what));
    }
    if (Find(added, name->string()) != nullptr) {
      return WrongFile(file, fmt::format("{} {} stands there twice; remove one", what,
                                         Excerpt(name->string(), 80)));
    }
    added.emplace_back(what, name->string(), file.path,
                       body == nullptr ? json::Value::Object() : *body);
  }
  for (KubeconfigEntry& entry : added) {
    if (Find(into, entry.name()) == nullptr) {
      into.push_back(entry);
    }
  }
  return Status::Ok();
}

const KubeconfigEntry* KubeconfigDocument::Find(const Entries& entries, std::string_view name) {
  const auto found =
      std::find_if(entries.begin(), entries.end(),
                   [&](const KubeconfigEntry& entry) { return entry.name() == name; });
  return found == entries.end() ? nullptr : &*found;
}

std::vector<std::string> KubeconfigDocument::ContextNames() const {
  std::vector<std::string> names;
  for (const KubeconfigEntry& entry : contexts_) {
    names.push_back(entry.name());
  }
  return names;
}

std::string KubeconfigDocument::Files() const { return Join(files_, ", "); }

}  // namespace hearth::kube::internal
