#include "cli/gather_graph.h"

#include <fmt/format.h>

#include <set>

#include "base/nearest_name.h"
#include "cli/graph_resources.h"
#include "dynamo/model/labels.h"
#include "snapshot/protocol/names.h"

namespace hearth::cli {
namespace {

using kube::Object;
using kube::ResourceType;
using Objects = std::vector<Object>;

constexpr int64_t kPage = 500;

std::string NameOf(const Object& object) { return object.meta().name(); }

std::set<std::string> NamesOf(const Objects& objects) {
  std::set<std::string> names;
  for (const Object& object : objects) {
    names.insert(NameOf(object));
  }
  return names;
}

// What the cluster does not let us see, or does not know, is no reason to show nothing.
bool MayBeLeftOut(const Status& status) {
  return status.Is(Code::kPermissionDenied) || status.Is(Code::kNotFound);
}

class Gatherer {
 public:
  Gatherer(kube::Client& client, std::string name_space, const WaitLimit& limit)
      : client_(client), name_space_(std::move(name_space)), limit_(limit) {}

  Result<dynamo::GraphObjects> Graph(const std::string& name) {
    ASSIGN_OR_RETURN(found_.graph, GetNamed(client_, Graphs(), {name_space_, name}, limit_));
    const std::string of_graph = fmt::format("{}={}", dynamo::kGraphLabel, name);
    RETURN_IF_ERROR(List(ComponentDeployments(), of_graph, found_.components));
    RETURN_IF_ERROR(List(Checkpoints(), of_graph, found_.checkpoints));
    RETURN_IF_ERROR(List(kube::types::Pods(), of_graph, found_.pods));
    for (const std::string& checkpoint : NamedCheckpoints()) {
      RETURN_IF_ERROR(Get(Checkpoints(), checkpoint, found_.checkpoints));
    }
    RETURN_IF_ERROR(BelowCheckpoints());
    RETURN_IF_ERROR(Events());
    return std::move(found_);
  }

  Result<dynamo::GraphObjects> Checkpoint(const std::string& name) {
    ASSIGN_OR_RETURN(Object checkpoint,
                     GetNamed(client_, Checkpoints(), {name_space_, name}, limit_));
    found_.checkpoints.push_back(std::move(checkpoint));
    RETURN_IF_ERROR(BelowCheckpoints());
    RETURN_IF_ERROR(Events());
    return std::move(found_);
  }

 private:
  Status List(const ResourceType& type, const std::string& selector, Objects& objects) {
    auto all = ListAll(client_, type, name_space_, selector, limit_);
    if (all.ok()) {
      objects = *std::move(all);
      return Status::Ok();
    }
    return LeaveOut(type, all.status());
  }

  // Nothing when it is not there.
  Status Get(const ResourceType& type, const std::string& name, Objects& objects) {
    if (name.empty() || NamesOf(objects).contains(name)) {
      return Status::Ok();
    }
    auto object = client_.Get(type, {type.namespaced ? name_space_ : "", name}, limit_);
    if (object.ok()) {
      objects.push_back(*std::move(object));
      return Status::Ok();
    }
    return object.status().Is(Code::kNotFound) ? Status::Ok() : LeaveOut(type, object.status());
  }

  Status LeaveOut(const ResourceType& type, const Status& status) {
    if (!MayBeLeftOut(status)) {
      return status;
    }
    if (left_out_.insert(type.name).second) {
      found_.unread.push_back(fmt::format("{}: {}", type.name, status.message()));
    }
    return Status::Ok();
  }

  // Those that components use.
  std::set<std::string> NamedCheckpoints() const {
    std::set<std::string> names;
    for (const json::View component : found_.graph["spec"]["components"].items()) {
      names.insert(component["experimental"]["checkpoint"]["checkpointRef"].StringOr(""));
    }
    for (const auto& member : found_.graph["status"]["checkpoints"].members()) {
      names.insert(member.value["checkpointName"].StringOr(""));
    }
    return names;
  }

  // Jobs, pods that are captured, snapshots and their contents.
  Status BelowCheckpoints() {
    if (found_.checkpoints.empty()) {
      return Status::Ok();
    }
    const std::set<std::string> checkpoints = NamesOf(found_.checkpoints);
    for (const Object& checkpoint : found_.checkpoints) {
      RETURN_IF_ERROR(Get(Jobs(), checkpoint["status"]["jobName"].StringOr(""), found_.jobs));
    }
    const std::string owned(snapshot::kOwnerLabel);
    Objects snapshots;
    RETURN_IF_ERROR(List(PodSnapshots(), owned, snapshots));
    AddOwned(checkpoints, snapshots, found_.snapshots);
    Objects sources;
    RETURN_IF_ERROR(List(kube::types::Pods(), owned, sources));
    AddOwned(checkpoints, sources, found_.pods);
    for (const Object& snapshot : found_.snapshots) {
      RETURN_IF_ERROR(Get(PodSnapshotContents(),
                          snapshot["status"]["boundSnapshotContentName"].StringOr(""),
                          found_.contents));
    }
    return Status::Ok();
  }

  static void AddOwned(const std::set<std::string>& owners, const Objects& objects,
                       Objects& found) {
    const std::set<std::string> known = NamesOf(found);
    for (const Object& object : objects) {
      const auto owner = object.meta().label(snapshot::kOwnerLabel);
      if (owner && owners.contains(*owner) && !known.contains(NameOf(object))) {
        found.push_back(object);
      }
    }
  }

  Status Events() {
    const Status listed = client_.ListAll(kube::types::Events(), name_space_, limit_,
                                          {.field_selector = "type=Warning", .limit = kPage},
                                          [&](const Object& event) {
                                            found_.events.push_back(event);
                                            return Status::Ok();
                                          });
    return listed.ok() ? listed : LeaveOut(kube::types::Events(), listed);
  }

  kube::Client& client_;
  const std::string name_space_;
  const WaitLimit& limit_;
  dynamo::GraphObjects found_;
  std::set<std::string> left_out_;
};

}  // namespace

Result<std::vector<Object>> ListAll(kube::Client& client, const ResourceType& type,
                                    const std::string& name_space,
                                    const std::string& label_selector, const WaitLimit& limit) {
  Objects objects;
  RETURN_IF_ERROR(client.ListAll(type, name_space, limit,
                                 {.label_selector = label_selector, .limit = kPage},
                                 [&](const Object& object) {
                                   objects.push_back(object);
                                   return Status::Ok();
                                 }));
  return objects;
}

Status UnknownKind(const ResourceType& type) {
  return NotFoundError(
      fmt::format("the cluster knows no {}s; is the operator installed?", type.kind));
}

Result<Object> GetNamed(kube::Client& client, const ResourceType& type, const kube::ObjectKey& key,
                        const WaitLimit& limit) {
  RETURN_IF_ERROR(kube::CheckDnsSubdomain(key.name).WithContext(key.name));
  auto object = client.Get(type, key, limit);
  if (object.ok() || !object.status().Is(Code::kNotFound)) {
    return object;
  }
  const auto others = ListAll(client, type, key.name_space, "", limit);
  if (!others.ok()) {
    return others.status().Is(Code::kNotFound) ? UnknownKind(type) : others.status();
  }
  const std::set<std::string> names = NamesOf(*others);
  const std::string near = NearestName(key.name, {names.begin(), names.end()});
  return NotFoundError(fmt::format("there is no {} {} in namespace {}{}", type.kind, key.name,
                                   key.name_space,
                                   near.empty() ? "" : "; did you mean " + near + "?"));
}

Result<dynamo::GraphObjects> GatherGraph(kube::Client& client, const kube::ObjectKey& graph,
                                         const WaitLimit& limit) {
  return Gatherer(client, graph.name_space, limit).Graph(graph.name);
}

Result<dynamo::GraphObjects> GatherCheckpoint(kube::Client& client,
                                              const kube::ObjectKey& checkpoint,
                                              const WaitLimit& limit) {
  return Gatherer(client, checkpoint.name_space, limit).Checkpoint(checkpoint.name);
}

}  // namespace hearth::cli
