#include "controller/testing/memory_api.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "json/parse.h"
#include "json/patch.h"
#include "kube/model/api_status.h"
#include "kube/model/request.h"

namespace hearth::controller {
namespace {

using json::Value;

http::Response Json(int status, const Value& body) {
  http::Response response;
  response.status = status;
  response.headers.Set("Content-Type", "application/json");
  response.body = body.Write();
  return response;
}

http::Response Failure(Code code, std::string_view reason, const std::string& message) {
  const Status status(code, std::string(reason), message);
  return Json(kube::HttpCodeFor(status), kube::StatusToObject(status));
}

http::Response Conflict(const std::string& name) {
  return Failure(Code::kConflict, kube::reason::kConflict, name + ": the object has been modified");
}

std::string Text(const Value& object, std::string_view path) {
  const Value* found = object.FindPath(path);
  return found != nullptr ? found->StringOr("") : "";
}

kube::ObjectKey KeyOf(const Value& object) {
  return {Text(object, "metadata.namespace"), Text(object, "metadata.name")};
}

// What a change of counts as a new generation.
Value Spec(Value object) {
  object.Erase("metadata");
  object.Erase("status");
  return object;
}

}  // namespace

std::optional<MemoryApi::Address> MemoryApi::Parse(std::string_view path) {
  std::vector<std::string> parts;
  for (const std::string_view part : Split(path, '/')) {
    parts.push_back(http::UnescapeComponent(part));
  }
  // "" api v1 ..., "" apis group version ...
  const size_t head = parts.size() > 1 && parts[1] == "api" ? 3 : 4;
  if (parts.size() <= head) {
    return std::nullopt;
  }
  Address at;
  at.api_version = head == 3 ? parts[2] : parts[2] + "/" + parts[3];
  std::vector<std::string> rest(parts.begin() + static_cast<std::ptrdiff_t>(head), parts.end());
  if (rest[0] == "namespaces" && rest.size() > 2) {
    at.key.name_space = rest[1];
    rest.erase(rest.begin(), rest.begin() + 2);
  }
  at.collection = head == 3 ? rest[0] : rest[0] + "." + parts[2];
  at.key.name = rest.size() > 1 ? rest[1] : "";
  at.subresource = rest.size() > 2 ? rest[2] : "";
  return at;
}

std::pair<std::string_view, std::string_view> MemoryApi::SplitTarget(std::string_view target) {
  const size_t mark = std::min(target.find('?'), target.size());
  return {target.substr(0, mark), target.substr(std::min(mark + 1, target.size()))};
}

MemoryApi::~MemoryApi() {
  std::vector<std::jthread> watches;
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
    watches.swap(watches_);
  }
}

http::Response MemoryApi::Answer(const http::Request& request) {
  const std::string_view path = SplitTarget(request.target).first;
  Interceptor interceptor;
  {
    std::lock_guard lock(mutex_);
    requests_.push_back(request.method + " " + std::string(path));
    interceptor = interceptor_;
  }
  if (interceptor) {
    if (std::optional<http::Response> answer = interceptor(request)) {
      return *answer;
    }
  }
  const std::optional<Address> at = Parse(path);
  if (!at.has_value()) {
    return Failure(Code::kNotFound, kube::reason::kNotFound, "no such path");
  }
  std::lock_guard lock(mutex_);
  return Dispatch(request, *at);
}

http::Response MemoryApi::Dispatch(const http::Request& request, const Address& at) {
  if (request.method == "GET") {
    return at.key.name.empty() ? List(at) : Get(at);
  }
  Value body;
  if (!request.body.empty()) {
    Result<Value> parsed = json::ParseValue(request.body);
    if (!parsed.ok()) {
      return Failure(Code::kInvalid, "BadRequest", parsed.status().ToString());
    }
    body = std::move(*parsed);
  }
  if (request.method == "POST") {
    return Create(at, std::move(body));
  }
  if (request.method == "PUT") {
    return Update(at, std::move(body));
  }
  if (request.method == "PATCH") {
    const bool apply = request.headers.Get("Content-Type").find("apply") != std::string_view::npos;
    return Patch(at, body, apply);
  }
  return Delete(at, body);
}

http::Response MemoryApi::List(const Address& at) {
  Value items = Value::Array();
  for (const auto& [key, object] : collections_[at.collection]) {
    if (at.Covers(key)) {
      items.Append(object);
    }
  }
  return Json(
      200,
      Value::Object({{"kind", "List"},
                     {"apiVersion", at.api_version},
                     {"metadata", Value::Object({{"resourceVersion", std::to_string(version_)}})},
                     {"items", std::move(items)}}));
}

http::Response MemoryApi::Get(const Address& at) {
  const Collection& collection = collections_[at.collection];
  const auto found = collection.find(at.key);
  return found != collection.end()
             ? Json(200, found->second)
             : Failure(Code::kNotFound, kube::reason::kNotFound, at.key.ToString() + " not found");
}

http::Response MemoryApi::Create(const Address& at, Value object) {
  if (!at.key.name_space.empty()) {
    object.MakePath("metadata").Set("namespace", at.key.name_space);
  }
  const kube::ObjectKey key = KeyOf(object);
  if (collections_[at.collection].contains(key)) {
    return Failure(Code::kAlreadyExists, kube::reason::kAlreadyExists,
                   key.ToString() + " already exists");
  }
  return Store(at, key, std::move(object), 201);
}

http::Response MemoryApi::Update(const Address& at, Value object) {
  Collection& collection = collections_[at.collection];
  const auto found = collection.find(at.key);
  if (found == collection.end()) {
    return Failure(Code::kNotFound, kube::reason::kNotFound, at.key.ToString() + " not found");
  }
  const std::string version = Text(object, "metadata.resourceVersion");
  if (!version.empty() && version != Text(found->second, "metadata.resourceVersion")) {
    return Conflict(at.key.name);
  }
  return Store(at, at.key, std::move(object), 200);
}

http::Response MemoryApi::Patch(const Address& at, const Value& patch, bool may_create) {
  Collection& collection = collections_[at.collection];
  const auto found = collection.find(at.key);
  if (found == collection.end()) {
    return may_create && at.subresource.empty() ? Create(at, patch)
                                                : Failure(Code::kNotFound, kube::reason::kNotFound,
                                                          at.key.ToString() + " not found");
  }
  for (const char* field : {"metadata.resourceVersion", "metadata.uid"}) {
    if (!Text(patch, field).empty() && Text(patch, field) != Text(found->second, field)) {
      return Conflict(at.key.name);
    }
  }
  Value object = found->second;
  if (at.subresource == "status") {
    object.Set("status", patch.Find("status") != nullptr ? *patch.Find("status") : Value());
  } else {
    json::ApplyMergePatch(object, patch);
  }
  return Store(at, at.key, std::move(object), 200);
}

http::Response MemoryApi::Delete(const Address& at, const Value& options) {
  Collection& collection = collections_[at.collection];
  const auto found = collection.find(at.key);
  if (found == collection.end()) {
    return Failure(Code::kNotFound, kube::reason::kNotFound, at.key.ToString() + " not found");
  }
  for (const std::string field : {"uid", "resourceVersion"}) {
    const std::string wanted = Text(options, "preconditions." + field);
    if (!wanted.empty() && wanted != Text(found->second, "metadata." + field)) {
      return Conflict(at.key.name);
    }
  }
  Value object = found->second;
  const Value* finalizers = object.FindPath("metadata.finalizers");
  if (finalizers != nullptr && finalizers->IsArray() && !finalizers->items().empty()) {
    object["metadata"].Set("deletionTimestamp", "2026-01-01T00:00:00Z");
    return Store(at, at.key, std::move(object), 200);
  }
  object["metadata"].Set("resourceVersion", std::to_string(++version_));
  collection.erase(found);
  Tell(at.collection, "DELETED", std::move(object));
  return Json(200,
              Value::Object({{"kind", "Status"}, {"apiVersion", "v1"}, {"status", "Success"}}));
}

http::Response MemoryApi::Store(const Address& at, const kube::ObjectKey& key, Value object,
                                int status) {
  Collection& collection = collections_[at.collection];
  const auto found = collection.find(key);
  const Value* old = found == collection.end() ? nullptr : &found->second;
  Value stamped = Stamp(old, std::move(object));
  if (old != nullptr && *old == stamped) {
    return Json(status, stamped);
  }
  stamped["metadata"].Set("resourceVersion", std::to_string(++version_));
  const Value* finalizers = stamped.FindPath("metadata.finalizers");
  const bool held = finalizers != nullptr && finalizers->IsArray() && !finalizers->items().empty();
  if (stamped.FindPath("metadata.deletionTimestamp") != nullptr && !held) {
    collection.erase(key);
    Tell(at.collection, "DELETED", stamped);
  } else {
    Tell(at.collection, old == nullptr ? "ADDED" : "MODIFIED", stamped);
    collection[key] = stamped;
  }
  return Json(status, stamped);
}

// What the server alone decides.
Value MemoryApi::Stamp(const Value* old, Value object) {
  Value& metadata = object["metadata"];
  if (old == nullptr) {
    metadata.Set("uid", "uid-" + std::to_string(++uids_));
    metadata.Set("generation", 1);
    return object;
  }
  const auto number = [&](std::string_view path) { return old->FindPath(path)->Int().value_or(0); };
  const int64_t changed = Spec(*old) == Spec(object) ? 0 : 1;
  metadata.Set("uid", Text(*old, "metadata.uid"));
  metadata.Set("generation", number("metadata.generation") + changed);
  metadata.Set("resourceVersion", Text(*old, "metadata.resourceVersion"));
  return object;
}

void MemoryApi::Tell(const std::string& collection, std::string type, Value object) {
  const kube::ObjectKey key = KeyOf(object);
  history_.push_back({version_, collection, key, std::move(type), std::move(object)});
  changed_.notify_all();
}

Value MemoryApi::Put(const kube::ResourceType& type, Value object) {
  object.Set("apiVersion", type.ApiVersion());
  object.Set("kind", type.kind);
  const Address at{type.ApiVersion(), type.ToString(), {}, ""};
  std::lock_guard lock(mutex_);
  const http::Response stored = Store(at, KeyOf(object), object, 200);
  return *json::ParseValue(stored.body);
}

void MemoryApi::Remove(const kube::ResourceType& type, const kube::ObjectKey& key) {
  std::lock_guard lock(mutex_);
  Delete({type.ApiVersion(), type.ToString(), key, ""}, Value());
}

std::optional<Value> MemoryApi::Find(const kube::ResourceType& type,
                                     const kube::ObjectKey& key) const {
  std::lock_guard lock(mutex_);
  const auto collection = collections_.find(type.ToString());
  if (collection == collections_.end() || !collection->second.contains(key)) {
    return std::nullopt;
  }
  return collection->second.at(key);
}

std::vector<Value> MemoryApi::All(const kube::ResourceType& type) const {
  std::lock_guard lock(mutex_);
  std::vector<Value> objects;
  const auto collection = collections_.find(type.ToString());
  if (collection != collections_.end()) {
    for (const auto& [key, object] : collection->second) {
      objects.push_back(object);
    }
  }
  return objects;
}

void MemoryApi::Intercept(Interceptor interceptor) {
  std::lock_guard lock(mutex_);
  interceptor_ = std::move(interceptor);
}

void MemoryApi::HoldWatches(bool hold) {
  std::lock_guard lock(mutex_);
  watches_held_ = hold;
  changed_.notify_all();
}

std::vector<std::string> MemoryApi::requests() const {
  std::lock_guard lock(mutex_);
  return requests_;
}

}  // namespace hearth::controller
