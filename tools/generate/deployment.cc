#include "deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/catalog/catalog.h"
#include "json/yaml.h"
#include "values_page.h"

namespace hearth::generate {
namespace {

using json::Value;

constexpr uint64_t kMostBytes = 1 << 20;
constexpr const char* kRights = "deploy/overlays/one-namespace/cluster-rights.yaml";
constexpr const char* kChartFiles = "deploy/helm/hearth/files/";

// Of Kubernetes, and in no namespace; ours are told by their definitions.
const std::set<std::string>& ClusterResources() {
  static const std::set<std::string> kResources = [] {
    std::set<std::string> resources = {
        "/namespaces",
        "/nodes",
        "/persistentvolumes",
        "admissionregistration.k8s.io/mutatingwebhookconfigurations",
        "admissionregistration.k8s.io/validatingwebhookconfigurations",
        "apiextensions.k8s.io/customresourcedefinitions",
        "authentication.k8s.io/tokenreviews",
        "authorization.k8s.io/subjectaccessreviews",
        "resource.k8s.io/deviceclasses",
        "resource.k8s.io/resourceslices",
        "storage.k8s.io/storageclasses",
    };
    for (const schema::ResourceDefinition& definition : api::AllDefinitions()) {
      if (!definition.namespaced) {
        resources.insert(definition.group + "/" + definition.plural);
      }
    }
    return resources;
  }();
  return kResources;
}

// Watched in all namespaces by whoever looks after one: agents' signs of life, and templates of
// claims, which a set may take from anywhere.
const std::set<std::string>& WatchedEverywhere() {
  static const std::set<std::string> kResources = {"coordination.k8s.io/leases",
                                                   "resource.k8s.io/resourceclaimtemplates"};
  return kResources;
}

// Those of a rule's list that `wanted` holds for.
template <typename Wanted>
Value Only(const Value& list, const Wanted& wanted) {
  Value kept = Value::Array();
  for (const Value& item : list.items()) {
    if (wanted(item.string())) {
      kept.Append(item);
    }
  }
  return kept;
}

// The rule for the resources and verbs that are wanted, if any are left.
template <typename Resource, typename Verb>
void Narrow(const Value& rule, const Resource& resource, const Verb& verb, Value& rules) {
  Value resources = Only(*rule.Find("resources"), resource);
  Value verbs = Only(*rule.Find("verbs"), verb);
  if (resources.items().empty() || verbs.items().empty()) {
    return;
  }
  Value narrowed = rule;
  narrowed.Set("resources", std::move(resources));
  narrowed.Set("verbs", std::move(verbs));
  rules.Append(std::move(narrowed));
}

Result<std::string> Read(FileSystem& files, const std::string& root, const std::string& path) {
  auto text = files.Read(root + "/" + path, kMostBytes);
  return text.ok() ? std::move(text) : text.status().WithContext(path);
}

Result<std::vector<Value>> ReadDocuments(FileSystem& files, const std::string& root,
                                         const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, Read(files, root, path));
  auto documents = json::ParseYaml(text);
  return documents.ok() ? std::move(documents) : documents.status().WithContext(path);
}

Value Meta(const std::string& name) { return Value::Object({{"name", name}}); }

// A role of what `role` allows beyond namespaces, bound to whom `role` is bound to.
Status AddRightsBeyond(const std::vector<Value>& documents, const std::string& role,
                       std::vector<Value>& objects) {
  for (const char* const kind : {"ClusterRole", "ClusterRoleBinding"}) {
    const auto found = std::find_if(documents.begin(), documents.end(), [&](const Value& document) {
      return document.Find("kind")->string() == kind &&
             document.FindPath("metadata.name")->string() == role;
    });
    if (found == documents.end()) {
      return InvalidError(fmt::format("there is no {} {}", kind, role));
    }
    Value object = *found;
    object.Set("metadata", Meta(role + "-cluster"));
    if (Value* rules = object.Find("rules")) {
      *rules = RulesBeyondNamespaces(*rules);
    } else {
      object["roleRef"].Set("name", role + "-cluster");
    }
    objects.push_back(std::move(object));
  }
  return {};
}

Result<GeneratedFile> RightsBeyondNamespaces(FileSystem& files, const std::string& root) {
  std::vector<Value> objects;
  for (const auto& [path, role] : {std::pair{"deploy/operator/rbac.yaml", "hearth-operator"},
                                   std::pair{"deploy/agent/rbac.yaml", "snapshot-agent"}}) {
    ASSIGN_OR_RETURN(const auto documents, ReadDocuments(files, root, path));
    RETURN_IF_ERROR(AddRightsBeyond(documents, role, objects).WithContext(path));
  }
  return GeneratedFile{kRights,
                       "# Made by tools/generate from deploy/operator/rbac.yaml and "
                       "deploy/agent/rbac.yaml; change those instead.\n" +
                           json::WriteYaml(objects)};
}

// For kustomize: all files of a directory, not of those below.
GeneratedFile ListOf(const std::string& directory, const std::vector<GeneratedFile>& made) {
  Value names = Value::Array();
  for (const GeneratedFile& file : made) {
    if (file.path.starts_with(directory) &&
        file.path.find('/', directory.size()) == std::string::npos) {
      names.Append(file.path.substr(directory.size()));
    }
  }
  return {directory + "Kustomization",
          "# Made by tools/generate.\n" +
              json::WriteYaml(Value::Object({{"apiVersion", "kustomize.config.k8s.io/v1beta1"},
                                             {"kind", "Kustomization"},
                                             {"resources", std::move(names)}}))};
}

// What it says is the same, for whoever sees nothing but the chart.
GeneratedFile Copy(const std::string& path, const std::string& text) {
  std::string below = path.substr(std::string_view("deploy/").size());
  if (below.starts_with("overlays/")) {
    below = below.substr(std::string_view("overlays/").size());
  }
  return {kChartFiles + below,
          fmt::format("# Copied by tools/generate from {}; change that instead.\n{}", path, text)};
}

}  // namespace

Value RulesBeyondNamespaces(const Value& rules) {
  Value beyond = Value::Array();
  for (const Value& rule : rules.items()) {
    for (const Value& group : rule.Find("apiGroups")->items()) {
      // Sub-resources are where the resource is.
      const auto in = [&](const std::set<std::string>& known) {
        return [&](const std::string& resource) {
          return known.contains(group.string() + "/" + resource.substr(0, resource.find('/')));
        };
      };
      Value one = rule;
      one.Set("apiGroups", Value::Array({group}));
      Narrow(
          one, in(ClusterResources()), [](const std::string&) { return true; }, beyond);
      Narrow(
          one, in(WatchedEverywhere()),
          [](const std::string& verb) { return verb == "list" || verb == "watch"; }, beyond);
    }
  }
  return beyond;
}

Result<std::vector<GeneratedFile>> DeploymentFiles(FileSystem& files, const std::string& root,
                                                   const std::vector<GeneratedFile>& made) {
  std::vector<GeneratedFile> result = {ListOf("deploy/crds/", made),
                                       ListOf("deploy/webhooks/", made)};
  for (const GeneratedFile& file : made) {
    if (file.path.starts_with("deploy/webhooks/")) {
      result.push_back(Copy(file.path, file.text));
    }
  }
  for (const char* const path :
       {"deploy/operator/rbac.yaml", "deploy/operator/deployment.yaml", "deploy/agent/rbac.yaml",
        "deploy/agent/storage.yaml", "deploy/agent/daemonset.yaml",
        "deploy/overlays/one-namespace/bindings.yaml"}) {
    ASSIGN_OR_RETURN(const std::string text, Read(files, root, path));
    result.push_back(Copy(path, text));
  }
  constexpr const char* kValues = "deploy/helm/hearth/values.yaml";
  ASSIGN_OR_RETURN(const std::string values, Read(files, root, kValues));
  auto page = ValuesPage(values);
  RETURN_IF_ERROR(page.status().WithContext(kValues));
  result.push_back(*std::move(page));
  ASSIGN_OR_RETURN(GeneratedFile rights, RightsBeyondNamespaces(files, root));
  result.push_back(Copy(rights.path, rights.text));
  result.push_back(std::move(rights));
  return result;
}

}  // namespace hearth::generate
