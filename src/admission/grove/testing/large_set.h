#pragma once

#include <string>
#include <utility>

#include "json/parse.h"
#include "json/value.h"

// What admission is timed with.
namespace hearth::admission::grove {

// One clique of `pods` pods whose containers are configured as those of real engines are.
inline json::Value CliqueOfEngines(const std::string& name, int pods, const json::Value& after) {
  json::Value env = json::Value::Array();
  for (int i = 0; i < 12; ++i) {
    env.Append(
        json::Value::Object({{"name", "ENGINE_OPTION_" + std::to_string(i)}, {"value", "on"}}));
  }
  const json::Value container =
      json::Value::Object({{"name", "main"},
                           {"image", "registry.example/engine:1"},
                           {"args", json::Value::Array({"--model", "m", "--tp", "8"})},
                           {"env", std::move(env)}});
  json::Value clique =
      json::Value::Object({{"name", name}, {"labels", json::Value::Object({{"app", "engine"}})}});
  clique.Set("resourceSharing",
             json::Value::Array({json::Value::Object({{"name", "gpu"}, {"scope", "PerReplica"}})}));
  clique.Set(
      "spec",
      json::Value::Object(
          {{"roleName", name},
           {"replicas", pods},
           {"startsAfter", after},
           {"podSpec", json::Value::Object({{"containers", json::Value::Array({container})}})}}));
  return clique;
}

// 1,000 pods: 100 cliques of 5 pods, half of them in ten scaling groups of three replicas.
inline json::Value SetOf1000Pods() {
  json::Value cliques = json::Value::Array();
  json::Value groups = json::Value::Array();
  for (int i = 0; i < 100; ++i) {
    const json::Value after =
        i == 0 ? json::Value::Array() : json::Value::Array({"worker-" + std::to_string(i - 1)});
    cliques.Append(CliqueOfEngines("worker-" + std::to_string(i), 5, after));
  }
  for (int i = 0; i < 10; ++i) {
    json::Value members = json::Value::Array();
    for (int k = 0; k < 5; ++k) {
      members.Append("worker-" + std::to_string(i * 5 + k));
    }
    groups.Append(json::Value::Object({{"name", "group-" + std::to_string(i)},
                                       {"cliqueNames", std::move(members)},
                                       {"replicas", 3},
                                       {"minAvailable", 1}}));
  }
  json::Value set =
      json::Value::Object({{"apiVersion", "grove.io/v1alpha1"}, {"kind", "PodCliqueSet"}});
  set.MakePath("metadata.name") = "large";
  set.MakePath("spec.replicas") = 1;
  json::Value& set_template = set.MakePath("spec.template");
  set_template["cliqueStartupType"] = "CliqueStartupTypeExplicit";
  set_template["resourceClaimTemplates"] =
      json::ParseValue(R"([{"name":"gpu","templateSpec":{"spec":{"devices":{"requests":[)"
                       R"({"name":"gpu","exactly":{"deviceClassName":"gpu.example"}}]}}}}])")
          .value();
  set_template["cliques"] = std::move(cliques);
  set_template["podCliqueScalingGroups"] = std::move(groups);
  return set;
}

}  // namespace hearth::admission::grove
