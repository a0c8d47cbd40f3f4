#include "kube/model/request.h"

#include <utility>

#include "json/builder.h"

namespace hearth::kube {
namespace {

// Collects what is set; what is left empty does not travel.
class Query {
 public:
  Query& Text(std::string_view name, std::string_view value) {
    if (!value.empty()) {
      pairs_.emplace_back(name, value);
    }
    return *this;
  }
  Query& Number(std::string_view name, int64_t value) {
    return value == 0 ? *this : Text(name, std::to_string(value));
  }
  Query& Flag(std::string_view name, bool value) { return value ? Text(name, "true") : *this; }
  Query& DryRun(bool value) { return value ? Text("dryRun", "All") : *this; }
  Query& Write(const WriteOptions& options) {
    return Text("fieldManager", options.field_manager)
        .Text("fieldValidation", options.field_validation)
        .DryRun(options.dry_run);
  }
  Query& Selectors(std::string_view label_selector, std::string_view field_selector) {
    return Text("labelSelector", label_selector).Text("fieldSelector", field_selector);
  }
  std::string Behind(std::string path) const {
    return pairs_.empty() ? path : std::move(path) + "?" + http::WriteQuery(pairs_);
  }

 private:
  http::QueryPairs pairs_;
};

http::Request Message(std::string_view method, std::string path, const Query& query) {
  http::Request request;
  request.method = method;
  request.target = query.Behind(std::move(path));
  request.headers.Set("Accept", "application/json");
  return request;
}

http::Request WithBody(http::Request request, std::string body,
                       std::string_view content_type = "application/json") {
  request.headers.Set("Content-Type", content_type);
  request.body = std::move(body);
  return request;
}

std::string_view ContentType(PatchType patch) {
  switch (patch) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategic:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";  // JSON is YAML too
  }
  return "";
}

void WriteTextMember(json::Builder& builder, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    builder.Key(name).String(value);
  }
}

void WritePreconditions(json::Builder& builder, const DeleteOptions& options) {
  if (options.uid.empty() && options.resource_version.empty()) {
    return;
  }
  builder.Key("preconditions").BeginObject();
  WriteTextMember(builder, "uid", options.uid);
  WriteTextMember(builder, "resourceVersion", options.resource_version);
  builder.EndObject();
}

std::string DeleteBody(const DeleteOptions& options) {
  json::Builder builder;
  builder.BeginObject();
  builder.Key("kind").String("DeleteOptions").Key("apiVersion").String("v1");
  if (options.grace_period_seconds.has_value()) {
    builder.Key("gracePeriodSeconds").Int(*options.grace_period_seconds);
  }
  WriteTextMember(builder, "propagationPolicy", options.propagation);
  WritePreconditions(builder, options);
  if (options.dry_run) {
    builder.Key("dryRun").BeginArray().String("All").EndArray();
  }
  builder.EndObject();
  return builder.Take();
}

std::string VersionPath(const ResourceType& type) {
  return type.group.empty() ? "/api/" + type.version : "/apis/" + type.group + "/" + type.version;
}

Query ListQuery(const ListOptions& options) {
  return Query()
      .Selectors(options.label_selector, options.field_selector)
      .Number("limit", options.limit)
      .Text("continue", options.continue_token)
      .Text("resourceVersion", options.resource_version)
      .Text("resourceVersionMatch", options.resource_version_match);
}

}  // namespace

std::string CollectionPath(const ResourceType& type, std::string_view name_space) {
  std::string path = VersionPath(type);
  if (type.namespaced && !name_space.empty()) {
    path += "/namespaces/" + http::EscapeComponent(name_space);
  }
  return path + "/" + type.name;
}

std::string ObjectPath(const ResourceType& type, const ObjectKey& key,
                       std::string_view subresource) {
  std::string path = CollectionPath(type, key.name_space) + "/" + http::EscapeComponent(key.name);
  if (!subresource.empty()) {
    path.append("/").append(subresource);
  }
  return path;
}

http::Request GetRequest(const ResourceType& type, const ObjectKey& key,
                         const GetOptions& options) {
  return Message("GET", ObjectPath(type, key, options.subresource),
                 Query().Text("resourceVersion", options.resource_version));
}

http::Request ListRequest(const ResourceType& type, std::string_view name_space,
                          const ListOptions& options) {
  return Message("GET", CollectionPath(type, name_space), ListQuery(options));
}

http::Request WatchRequest(const ResourceType& type, std::string_view name_space,
                           const WatchOptions& options) {
  return Message("GET", CollectionPath(type, name_space),
                 Query()
                     .Flag("watch", true)
                     .Flag("allowWatchBookmarks", options.bookmarks)
                     .Selectors(options.label_selector, options.field_selector)
                     .Text("resourceVersion", options.resource_version)
                     .Text("resourceVersionMatch", options.resource_version_match)
                     .Flag("sendInitialEvents", options.send_initial_events)
                     .Number("timeoutSeconds", options.timeout_seconds));
}

http::Request CreateRequest(const ResourceType& type, std::string_view name_space, json::View body,
                            const WriteOptions& options) {
  return WithBody(Message("POST", CollectionPath(type, name_space), Query().Write(options)),
                  std::string(body.raw()));
}

http::Request CreateSubresourceRequest(const ResourceType& type, const ObjectKey& key,
                                       json::View body, const WriteOptions& options) {
  return WithBody(
      Message("POST", ObjectPath(type, key, options.subresource), Query().Write(options)),
      std::string(body.raw()));
}

http::Request UpdateRequest(const ResourceType& type, const ObjectKey& key, json::View body,
                            const WriteOptions& options) {
  return WithBody(
      Message("PUT", ObjectPath(type, key, options.subresource), Query().Write(options)),
      std::string(body.raw()));
}

http::Request PatchRequest(const ResourceType& type, const ObjectKey& key, PatchType patch,
                           json::View body, const WriteOptions& options) {
  Query query = Query().Write(options).Flag("force", options.force && patch == PatchType::kApply);
  return WithBody(Message("PATCH", ObjectPath(type, key, options.subresource), query),
                  std::string(body.raw()), ContentType(patch));
}

http::Request DeleteRequest(const ResourceType& type, const ObjectKey& key,
                            const DeleteOptions& options) {
  return WithBody(Message("DELETE", ObjectPath(type, key), Query()), DeleteBody(options));
}

http::Request DeleteCollectionRequest(const ResourceType& type, std::string_view name_space,
                                      const ListOptions& which, const DeleteOptions& options) {
  return WithBody(Message("DELETE", CollectionPath(type, name_space), ListQuery(which)),
                  DeleteBody(options));
}

}  // namespace hearth::kube
