#pragma once

#include <string_view>

#include "admission/dynamo/internal/component_facts.h"
#include "admission/dynamo/internal/finding_list.h"
#include "admission/dynamo/internal/pathway.h"
#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "schema/field_path.h"

// What a component must be like, in a graph (path spec.components[i]) or as a
// DynamoComponentDeployment (path spec). Each function has the list of rules it may name beside it.
namespace hearth::admission::dynamo {

struct ComponentContext {
  const Setup& setup;
  Pathway pathway;           // of the graph; without one there is no Grove
  std::string_view backend;  // spec.backendFramework
  bool in_graph = false;     // a component of a DynamoGraphDeployment
  bool stand_alone = false;  // a DynamoComponentDeployment that no graph made
};

// All of the below.
void CheckComponent(const ComponentFacts& component, const ComponentContext& context,
                    const schema::FieldPath& path, Findings& findings);
RuleList ComponentRuleList();

void CheckGpuMemory(const ComponentFacts& component, const ComponentContext& context,
                    const schema::FieldPath& path, Findings& findings);
RuleList GpuMemoryRuleList();

void CheckFailover(const ComponentFacts& component, const ComponentContext& context,
                   const schema::FieldPath& path, Findings& findings);
RuleList FailoverRuleList();
// Of failover.numShadows; also told of the older version's form.
extern const Rule kOneShadow;

void CheckCheckpointConfig(const ComponentFacts& component, const ComponentContext& context,
                           const schema::FieldPath& path, Findings& findings);
RuleList CheckpointConfigRuleList();

// `old` is what is stored under the same name, `owner` the kind of the object.
void CheckComponentUpdate(const ComponentFacts& component, const ComponentFacts& old,
                          std::string_view owner, const schema::FieldPath& path,
                          Findings& findings);
void CheckBackendUpdate(const json::Value& object, const json::Value& old, Findings& findings);
RuleList ComponentUpdateRuleList();

}  // namespace hearth::admission::dynamo
