#include "claims/testing/sample_sets.h"

#include "base/check.h"
#include "grove/model/labels.h"
#include "grove/model/names.h"
#include "json/yaml.h"

namespace hearth::claims {
namespace {

void Identify(std::string name, grove::Identity& id) {
  id.name_space = "default";
  id.uid = name + "-uid";
  id.name = std::move(name);
  id.generation = 1;
}

constexpr const char* kWorkedExample = R"(
replicas: 1
template:
  resourceClaimTemplates:
  - {name: int-tpl, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: int-class}}]}}}}
  - {name: int-tpl2, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: int-class2}}]}}}}
  - {name: int-tpl3, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: int-class3}}]}}}}
  - {name: int-tpl4, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: int-class4}}]}}}}
  - {name: int-tpl5, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: int-class5}}]}}}}
  - {name: int-tpl6, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: int-class6}}]}}}}
  - {name: int-tpl7, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: int-class7}}]}}}}
  - {name: int-tpl8, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: int-class8}}]}}}}
  resourceSharing:
  - {name: int-tpl5, scope: AllReplicas}
  - {name: ext-tpl, scope: PerReplica}
  - {name: int-tpl, scope: PerReplica, filter: {childCliqueNames: [worker-a]}}
  - {name: int-tpl7, scope: AllReplicas, filter: {childScalingGroupNames: [sga]}}
  cliques:
  - name: worker-a
    resourceSharing:
    - {name: int-tpl4, scope: PerReplica}
    - {name: ext-ns-tpl, namespace: rs-shared, scope: AllReplicas}
    spec: {roleName: worker-a, replicas: 1, podSpec: {containers: [{name: main, image: i}]}}
  - name: worker-b
    resourceSharing:
    - {name: int-tpl6, scope: AllReplicas}
    spec: {roleName: worker-b, replicas: 1, podSpec: {containers: [{name: main, image: i}]}}
  podCliqueScalingGroups:
  - name: sga
    cliqueNames: [worker-b]
    replicas: 2
    minAvailable: 2
    resourceSharing:
    - {name: int-tpl2, scope: AllReplicas}
    - {name: int-tpl3, scope: PerReplica}
    - {name: int-tpl8, scope: AllReplicas, filter: {childCliqueNames: [worker-b]}}
)";

}  // namespace

grove::SetFacts SampleSet(std::string_view name, const std::string& spec) {
  auto value = json::ParseYamlDocument(spec);
  CHECK(value.ok()) << value.status().ToString();
  const json::Blob object = json::Value::Object({{"spec", *std::move(value)}}).ToBlob();
  grove::Identity id;
  Identify(std::string(name), id);
  auto set = grove::SetFacts::From(id, object.view());
  CHECK(set.ok()) << set.status().ToString();
  return *std::move(set);
}

grove::SetFacts SampleSuccessor(grove::SetFacts set) {
  set.id.uid += "-2";
  return set;
}

grove::GroupFacts SampleGroup(const grove::SetFacts& set, int32_t set_replica,
                              std::string_view group, int32_t replicas) {
  grove::GroupFacts facts;
  Identify(grove::GroupName(set.id.name, set_replica, group), facts.id);
  facts.place.set = set.id.name;
  facts.place.set_replica = set_replica;
  facts.replicas = replicas;
  return facts;
}

grove::CliqueFacts SampleClique(const grove::SetFacts& set, int32_t set_replica,
                                std::string_view clique, int32_t replicas) {
  grove::CliqueFacts facts;
  Identify(grove::CliqueName(set.id.name, set_replica, clique), facts.id);
  facts.place.set = set.id.name;
  facts.place.set_replica = set_replica;
  facts.replicas = replicas;
  return facts;
}

grove::CliqueFacts SampleMember(const grove::SetFacts& set, int32_t set_replica,
                                std::string_view group, int32_t group_replica,
                                std::string_view clique, int32_t replicas) {
  const std::string group_name = grove::GroupName(set.id.name, set_replica, group);
  grove::CliqueFacts facts;
  Identify(grove::MemberName(group_name, group_replica, clique), facts.id);
  facts.place.set = set.id.name;
  facts.place.set_replica = set_replica;
  facts.place.group = group_name;
  facts.place.group_replica = group_replica;
  facts.replicas = replicas;
  return facts;
}

grove::SetFacts WorkedExample() { return SampleSet("rs-test", kWorkedExample); }

}  // namespace hearth::claims
