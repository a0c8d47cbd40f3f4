#include "cli/collect.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "claims/versions.h"
#include "cli/gather.h"
#include "cli/gather_graph.h"
#include "cli/graph_resources.h"
#include "dynamo/model/labels.h"
#include "dynamo/view/chain.h"
#include "grove/model/types.h"
#include "grove/view/tree.h"
#include "json/parse.h"
#include "kube/client/discovery.h"

namespace hearth::cli {
namespace {

using json::Value;
using kube::Object;
using kube::ResourceType;
using Objects = std::vector<Object>;

constexpr std::string_view kSetLabel = "app.kubernetes.io/part-of";
// Who looks after graphs, and what their pods are called.
constexpr const char* kOperators = "app.kubernetes.io/name=hearth-operator";
constexpr const char* kAgents = "app.kubernetes.io/component=snapshot-agent";

const ResourceType& VolumeClaims() {
  static const ResourceType kType{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim",
                                  true};
  return kType;
}

// Objects that are labelled with their graph, beside those of its chain.
const std::vector<ResourceType>& LabelledTypes() {
  static const std::vector<ResourceType> kTypes = {kube::types::Deployments(), ReplicaSets(),
                                                   kube::types::Services(), VolumeClaims()};
  return kTypes;
}

bool IsOurs(std::string_view group) {
  return group == "nvidia.com" || group.ends_with("grove.io") || group == "resource.k8s.io";
}

class Collector {
 public:
  Collector(kube::Client& client, const CollectOptions& options, const WaitLimit& limit,
            bundle::Bundle& bundle)
      : client_(client), options_(options), limit_(limit), bundle_(bundle) {}

  Result<std::vector<std::string>> Collect() {
    RETURN_IF_ERROR(Versions());
    for (const kube::ObjectKey& graph : options_.graphs) {
      Graph(graph);
    }
    for (const std::string& name_space : options_.name_spaces) {
      Events(name_space);
    }
    Programs("operator", kOperators, [](const Object&) { return true; });
    // Of a large cluster only those that have to do with the graphs.
    const std::set<std::string> nodes = nodes_;
    Programs("agents", kAgents, [&](const Object& pod) {
      return nodes.contains(pod["spec"]["nodeName"].StringOr(""));
    });
    Nodes();
    bundle_.LeaveOut("Secrets and ConfigMaps", "they are never read");
    bundle_.LeaveOut("logs of the graphs' own pods",
                     "they may hold what users said; kubectl logs has them");
    if (!options_.logs) {
      bundle_.LeaveOut("logs of the operator and the agents", "--logs=false");
    }
    return std::move(problems_);
  }

 private:
  // ---- Small steps.

  void LeaveOut(std::string what, const Status& status) {
    bundle_.LeaveOut(std::move(what), std::string(status.message()));
  }

  void Add(const ResourceType& type, const Object& object) {
    const kube::ObjectKey key = object.meta().key();
    const std::string folder = key.name_space.empty() ? "cluster" : key.name_space;
    const std::string path =
        fmt::format("objects/{}/{}/{}.json", folder, type.ToString(), key.name);
    if (!added_.insert(path).second) {
      return;
    }
    Value value = object.ToValue();
    // Lists leave these out of their items.
    if (value.Find("kind") == nullptr) {
      value.Set("apiVersion", type.ApiVersion());
      value.Set("kind", type.kind);
    }
    bundle_.AddObject(path, std::move(value));
    if (type.kind == "Pod") {
      nodes_.insert(object["spec"]["nodeName"].StringOr(""));
    }
  }

  void AddAll(const ResourceType& type, const Objects& objects) {
    for (const Object& object : objects) {
      Add(type, object);
    }
  }

  // ---- Versions. The first question, so the one that tells whether anybody answers.

  Status Versions() {
    ASSIGN_OR_RETURN(const http::Response answer, client_.Raw({.target = "/version"}, limit_));
    const auto version = json::ParseValue(answer.body);
    Value versions = Value::Object({{"server", version.ok() ? *version : Value()}});
    kube::Discovery discovery(client_, RealClock());
    const auto served = discovery.All(limit_);
    if (!served.ok()) {
      LeaveOut("which kinds the cluster serves", served.status());
    } else {
      Value kinds = Value::Array();
      for (const auto& entry : *served) {
        if (IsOurs(entry.type.group)) {
          kinds.Append(fmt::format("{} {}", entry.type.ApiVersion(), entry.type.kind));
        }
      }
      versions.Set("kinds", std::move(kinds));
    }
    bundle_.AddObject("versions.json", std::move(versions));
    return Status::Ok();
  }

  // ---- Graphs.

  void Graph(const kube::ObjectKey& key) {
    const auto objects = GatherGraph(client_, key, limit_);
    if (!objects.ok()) {
      LeaveOut("graph " + key.ToString(), objects.status());
      return;
    }
    for (const std::string& what : objects->unread) {
      bundle_.LeaveOut("graph " + key.ToString(), what);
    }
    const dynamo::ChainNode chain = dynamo::MakeChain(*objects);
    for (std::string& line : dynamo::ProblemLines(chain)) {
      problems_.push_back(std::move(line));
    }
    bundle_.AddText(fmt::format("graphs/{}/{}.txt", key.name_space, key.name),
                    dynamo::ToText(chain, objects->unread));
    Add(Graphs(), objects->graph);
    AddAll(ComponentDeployments(), objects->components);
    AddAll(Checkpoints(), objects->checkpoints);
    AddAll(Jobs(), objects->jobs);
    AddAll(PodSnapshots(), objects->snapshots);
    AddAll(PodSnapshotContents(), objects->contents);
    AddAll(kube::types::Pods(), objects->pods);
    for (const ResourceType& type : LabelledTypes()) {
      Labelled(type, key.name_space, fmt::format("{}={}", dynamo::kGraphLabel, key.name));
    }
    for (const std::string& set : SetsOf(objects->pods)) {
      Set({key.name_space, set});
    }
  }

  void Labelled(const ResourceType& type, const std::string& name_space,
                const std::string& selector) {
    const auto found = ListAll(client_, type, name_space, selector, limit_);
    if (found.ok()) {
      AddAll(type, *found);
    } else {
      LeaveOut(fmt::format("{} of namespace {}", type.ToString(), name_space), found.status());
    }
  }

  static std::set<std::string> SetsOf(const Objects& pods) {
    std::set<std::string> sets;
    for (const Object& pod : pods) {
      if (const auto clique = pod.meta().label("grove.io/podclique"); clique) {
        sets.insert(pod.meta().label(kSetLabel).value_or(""));
      }
    }
    sets.erase("");
    return sets;
  }

  void Set(const kube::ObjectKey& key) {
    const auto objects = GatherSet(client_, key, limit_);
    if (!objects.ok()) {
      LeaveOut("PodCliqueSet " + key.ToString(), objects.status());
      return;
    }
    const auto facts = grove::ClusterFacts::From(*objects);
    if (facts.ok()) {
      bundle_.AddText(fmt::format("graphs/{}/set-{}.txt", key.name_space, key.name),
                      grove::ToText(grove::MakeTree(*facts)));
    }
    Add(grove::PodCliqueSets(), objects->set);
    AddAll(grove::PodCliqueScalingGroups(), objects->groups);
    AddAll(grove::PodCliques(), objects->cliques);
    AddAll(grove::PodGangs(), objects->gangs);
    AddAll(claims::ResourceClaims(claims::ApiVersion::kV1), objects->claims);
  }

  void Events(const std::string& name_space) {
    const auto events = ListAll(client_, kube::types::Events(), name_space, "", limit_);
    if (!events.ok()) {
      LeaveOut("events of namespace " + name_space, events.status());
      return;
    }
    Value items = Value::Array();
    for (const Object& event : *events) {
      items.Append(event.ToValue());
    }
    bundle_.AddObject(fmt::format("events/{}.json", name_space),
                      Value::Object({{"items", std::move(items)}}));
  }

  // ---- Who looks after them.

  void Programs(const std::string& what, const std::string& selector,
                const std::function<bool(const Object&)>& wanted) {
    const auto pods = ListAll(client_, kube::types::Pods(), "", selector, limit_);
    if (!pods.ok()) {
      LeaveOut(what, pods.status());
      return;
    }
    if (pods->empty()) {
      bundle_.LeaveOut(what, fmt::format("no pod is labelled {}", selector));
    }
    for (const Object& pod : *pods) {
      if (!wanted(pod)) {
        bundle_.LeaveOut(fmt::format("{} {}", what, pod.meta().key().ToString()),
                         "no pod of the graphs is on its node");
        continue;
      }
      Add(kube::types::Pods(), pod);
      for (const json::View container : pod["status"]["containerStatuses"].items()) {
        Logs(what, pod, container);
      }
    }
  }

  void Logs(const std::string& what, const Object& pod, json::View container) {
    if (!options_.logs) {
      return;
    }
    const std::string name = container["name"].StringOr("");
    Log(what, pod.meta().key(), name, false);
    if (container["restartCount"].Int().value_or(0) > 0) {
      Log(what, pod.meta().key(), name, true);
    }
  }

  void Log(const std::string& what, const kube::ObjectKey& pod, const std::string& container,
           bool previous) {
    http::QueryPairs query = {{"container", container},
                              {"timestamps", "true"},
                              {"tailLines", "20000"},
                              {"limitBytes", fmt::format("{}", options_.log_bytes)}};
    if (previous) {
      query.emplace_back("previous", "true");
    }
    const std::string target =
        kube::ObjectPath(kube::types::Pods(), pod, "log") + "?" + http::WriteQuery(query);
    const auto answer = client_.Raw({.target = target}, limit_);
    const std::string path = fmt::format("logs/{}/{}/{}/{}{}.log", what, pod.name_space, pod.name,
                                         container, previous ? "-previous" : "");
    if (!answer.ok()) {
      LeaveOut(path, answer.status());
    } else if (answer->status != 200) {
      bundle_.LeaveOut(path, fmt::format("the server answered {}", answer->status));
    } else {
      bundle_.AddText(path, answer->body);
    }
  }

  // Of the pods that were taken: what they run on.
  void Nodes() {
    nodes_.erase("");
    for (const std::string& name : nodes_) {
      const auto node = client_.Get(kube::types::Nodes(), {"", name}, limit_);
      if (!node.ok()) {
        LeaveOut("node " + name, node.status());
        continue;
      }
      Add(kube::types::Nodes(), *node);
    }
  }

  kube::Client& client_;
  const CollectOptions& options_;
  const WaitLimit& limit_;
  bundle::Bundle& bundle_;
  std::set<std::string> added_;
  std::set<std::string> nodes_;
  std::vector<std::string> problems_;
};

}  // namespace

Result<std::vector<std::string>> Collect(kube::Client& client, const CollectOptions& options,
                                         const WaitLimit& limit, bundle::Bundle& bundle) {
  return Collector(client, options, limit, bundle).Collect();
}

}  // namespace hearth::cli
