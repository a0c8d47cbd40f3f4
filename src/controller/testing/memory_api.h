#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "http/message.h"
#include "http/server.h"
#include "json/value.h"
#include "kube/model/names.h"

namespace hearth::controller {

// A tiny API server in memory for tests of controllers: any resource, no schema. Get, list, watch
// (also with initial events), create, update, merge patch, delete, the status sub-resource,
// resource versions with conflicts, uids, generations, finalizers. Apply is taken as a merge patch
// that may create; it forgets no fields. Thread-safe.
class MemoryApi {
 public:
  MemoryApi() = default;
  ~MemoryApi();  // ends the watches
  MemoryApi(const MemoryApi&) = delete;
  MemoryApi& operator=(const MemoryApi&) = delete;

  // For kube::MakeHandlerTransport.
  http::StreamingHandler Handler();
  // Everything but watches.
  http::Response Answer(const http::Request& request);

  // As somebody else would write: creates or replaces. Returns the object as stored.
  json::Value Put(const kube::ResourceType& type, json::Value object);
  void Remove(const kube::ResourceType& type, const kube::ObjectKey& key);
  std::optional<json::Value> Find(const kube::ResourceType& type, const kube::ObjectKey& key) const;
  std::vector<json::Value> All(const kube::ResourceType& type) const;

  // Asked before each request but watches; an answer is used instead of ours.
  using Interceptor = std::function<std::optional<http::Response>(const http::Request& request)>;
  void Intercept(Interceptor interceptor);
  // While held, watches show nothing new.
  void HoldWatches(bool hold);
  // "PATCH /api/v1/namespaces/ns/pods/a" without the query, in the order they came; watches as
  // "WATCH".
  std::vector<std::string> requests() const;

 private:
  struct Address {
    std::string api_version;
    std::string collection;  // "pods", "deployments.apps"
    kube::ObjectKey key;     // without a name: the collection
    std::string subresource;

    bool Covers(const kube::ObjectKey& other) const {
      return key.name_space.empty() || key.name_space == other.name_space;
    }
  };
  struct Event {
    uint64_t version;
    std::string collection;
    kube::ObjectKey key;
    std::string type;  // ADDED, MODIFIED, DELETED
    json::Value object;
  };
  using Collection = std::map<kube::ObjectKey, json::Value>;

  static std::optional<Address> Parse(std::string_view path);
  static std::pair<std::string_view, std::string_view> SplitTarget(
      std::string_view target);  // path, query
  http::Response Dispatch(const http::Request& request, const Address& at);
  http::Response List(const Address& at);
  http::Response Get(const Address& at);
  http::Response Create(const Address& at, json::Value object);
  http::Response Update(const Address& at, json::Value object);
  http::Response Patch(const Address& at, const json::Value& patch, bool may_create);
  http::Response Delete(const Address& at, const json::Value& options);
  http::Response Store(const Address& at, const kube::ObjectKey& key, json::Value object,
                       int status);
  json::Value Stamp(const json::Value* old, json::Value object);
  void Tell(const std::string& collection, std::string type, json::Value object);

  // memory_api_watch.cc
  void Serve(const http::ServerRequest& request, std::unique_ptr<http::ResponseWriter> writer);
  void Watch(const Address& at, const http::QueryPairs& query, http::ResponseWriter& writer);
  std::vector<std::string> EventsSince(const Address& at, uint64_t& version) const;
  std::vector<std::string> InitialEvents(const Address& at, uint64_t& version) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t version_ = 100;
  uint64_t uids_ = 0;
  std::map<std::string, Collection> collections_;
  std::vector<Event> history_;
  std::vector<std::string> requests_;
  Interceptor interceptor_;
  bool watches_held_ = false;
  bool ending_ = false;
  std::vector<std::jthread> watches_;
};

}  // namespace hearth::controller
