#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "json/view.h"
#include "kube/client/transport.h"
#include "kube/model/names.h"
#include "kube/model/object.h"
#include "kube/model/request.h"
#include "kube/model/watch_decoder.h"

namespace hearth::kube {

struct ClientOptions {
  std::string field_manager = "hearth";
  Duration request_timeout =
      std::chrono::seconds(30);  // for each request that has no nearer deadline
  // Tries of one call when the server says 429 or 5xx, or is not there. Writes are repeated only
  // where the server has certainly not acted (429, 503 with Retry-After, connection refused).
  int max_tries = 5;
  BackoffPolicy backoff{std::chrono::milliseconds(100), std::chrono::seconds(5), 2.0, 0.5};
  Duration max_retry_after = std::chrono::seconds(60);
  double requests_per_second = 0;  // 0: no limit on our side; the server has its own fairness
  int burst = 1;
  size_t max_object_bytes = size_t{16} << 20;
  // Gets each distinct Warning header once.
  std::function<void(std::string_view text)> on_warning;
};

struct ListPage {
  std::vector<Object> items;
  std::string resource_version;
  std::string continue_token;
  int64_t remaining = 0;
};

struct DeleteOutcome {
  bool gone = false;  // false: it is terminating, `object` shows it
  Object object;      // may be empty
};

// Receives a watch. Called on the loop; must not block. OnEnd comes exactly once, last.
class WatchHandler {
 public:
  virtual ~WatchHandler() = default;
  // Also ERROR events come here. A failure ends the watch.
  virtual Status OnEvent(WatchEventType type, std::string_view object, size_t capacity) = 0;
  virtual void OnEnd(Status status) = 0;
};

// Receives a list's items while they arrive. Called on the loop; must not block. OnEnd comes
// exactly once, last.
class ListHandler {
 public:
  virtual ~ListHandler() = default;
  virtual Status OnItem(std::string_view object, size_t capacity) = 0;
  struct Tail {
    std::string resource_version;
    std::string continue_token;
  };
  virtual void OnEnd(Result<Tail> tail) = 0;
};

// All verbs of the API. Failures are Statuses by the server's reason, with verb and object in
// front: "get pods ns/name: ...". A key that is not the address of one object (no name) is kInvalid
// and nothing is sent. Blocking calls must not be made on the loop. Thread-safe.
class Client {
 public:
  Client(Transport& transport, Clock& clock, ClientOptions options = {});
  ~Client();

  Result<Object> Get(const ResourceType& type, const ObjectKey& key, const WaitLimit& limit,
                     const GetOptions& options = {});
  Result<ListPage> List(const ResourceType& type, std::string_view name_space,
                        const WaitLimit& limit, const ListOptions& options = {});
  // Page by page; a token that expired half-way starts the list over in one piece, without calling
  // `on_item` again for what it has seen (by uid).
  Status ListAll(const ResourceType& type, std::string_view name_space, const WaitLimit& limit,
                 const ListOptions& options, const std::function<Status(const Object&)>& on_item);
  Result<Object> Create(const ResourceType& type, std::string_view name_space, json::View body,
                        const WaitLimit& limit, const WriteOptions& options = {});
  Result<Object> CreateSubresource(const ResourceType& type, const ObjectKey& key, json::View body,
                                   const WaitLimit& limit, const WriteOptions& options);
  Result<Object> Update(const ResourceType& type, const ObjectKey& key, json::View body,
                        const WaitLimit& limit, const WriteOptions& options = {});
  Result<Object> Patch(const ResourceType& type, const ObjectKey& key, PatchType patch,
                       json::View body, const WaitLimit& limit, const WriteOptions& options = {});
  // Server-side apply with this client's field manager.
  Result<Object> Apply(const ResourceType& type, const ObjectKey& key, json::View body,
                       const WaitLimit& limit, WriteOptions options = {});
  Result<DeleteOutcome> Delete(const ResourceType& type, const ObjectKey& key,
                               const WaitLimit& limit, const DeleteOptions& options = {});
  Status DeleteCollection(const ResourceType& type, std::string_view name_space,
                          const WaitLimit& limit, const ListOptions& which,
                          const DeleteOptions& options = {});
  // Any path: "/version", "/readyz".
  Result<http::Response> Raw(http::Request request, const WaitLimit& limit);

  // Streaming forms for caches: one try each, no retry; the caller decides. The handler outlives
  // the stream or its OnEnd.
  std::unique_ptr<http::Stream> StartWatch(const ResourceType& type, std::string_view name_space,
                                           const WatchOptions& options, WatchHandler& handler,
                                           const http::StreamOptions& limits);
  std::unique_ptr<http::Stream> StartList(const ResourceType& type, std::string_view name_space,
                                          const ListOptions& options, ListHandler& handler,
                                          const http::StreamOptions& limits);

  const ClientOptions& options() const;
  Transport& transport();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Reads, changes and writes back until no conflict is left, five times at most.
Result<Object> UpdateWithRetry(Client& client, const ResourceType& type, const ObjectKey& key,
                               const WaitLimit& limit,
                               const std::function<Status(json::Value&)>& change,
                               const WriteOptions& options = {});

}  // namespace hearth::kube
