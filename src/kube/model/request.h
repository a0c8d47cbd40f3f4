#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "json/view.h"
#include "kube/model/names.h"

// Requests to the API as values: pure functions from what is wanted to what goes over the wire.
namespace hearth::kube {

struct GetOptions {
  std::string resource_version;
  std::string subresource;  // "scale", "status"
};

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  int64_t limit = 0;  // 0: all at once
  std::string continue_token;
  std::string resource_version;
  std::string resource_version_match;  // "NotOlderThan", "Exact"
};

struct WatchOptions {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;
  std::string resource_version_match;
  bool bookmarks = true;
  bool send_initial_events = false;
  int64_t timeout_seconds = 0;  // 0: the server's choice
};

struct WriteOptions {
  std::string field_manager;     // the client's when empty
  std::string subresource;       // "status", "scale", "eviction", "binding", ...
  std::string field_validation;  // "Strict", "Warn", "Ignore"; the server's choice when empty
  bool dry_run = false;
  bool force = false;  // server-side apply: take fields over
};

enum class PatchType { kJson, kMerge, kStrategic, kApply };

struct DeleteOptions {
  std::optional<int64_t> grace_period_seconds;
  std::string propagation;  // "Background", "Foreground", "Orphan"
  std::string uid;          // preconditions: only this very object, only this version
  std::string resource_version;
  bool dry_run = false;
};

// "/api/v1/namespaces/ns/pods", "/apis/apps/v1/deployments"; an empty name space means all.
std::string CollectionPath(const ResourceType& type, std::string_view name_space);
std::string ObjectPath(const ResourceType& type, const ObjectKey& key,
                       std::string_view subresource = "");

http::Request GetRequest(const ResourceType& type, const ObjectKey& key, const GetOptions& options);
http::Request ListRequest(const ResourceType& type, std::string_view name_space,
                          const ListOptions& options);
http::Request WatchRequest(const ResourceType& type, std::string_view name_space,
                           const WatchOptions& options);
http::Request CreateRequest(const ResourceType& type, std::string_view name_space, json::View body,
                            const WriteOptions& options);
// A sub-resource that is created on an object: eviction, binding, token.
http::Request CreateSubresourceRequest(const ResourceType& type, const ObjectKey& key,
                                       json::View body, const WriteOptions& options);
http::Request UpdateRequest(const ResourceType& type, const ObjectKey& key, json::View body,
                            const WriteOptions& options);
http::Request PatchRequest(const ResourceType& type, const ObjectKey& key, PatchType patch,
                           json::View body, const WriteOptions& options);
http::Request DeleteRequest(const ResourceType& type, const ObjectKey& key,
                            const DeleteOptions& options);
http::Request DeleteCollectionRequest(const ResourceType& type, std::string_view name_space,
                                      const ListOptions& which, const DeleteOptions& options);

}  // namespace hearth::kube
