#pragma once

#include <string_view>

#include "admission/dynamo/internal/component_rules.h"
#include "admission/dynamo/internal/finding_list.h"
#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "base/seeded_hash.h"
#include "json/value.h"

// What a DynamoGraphDeployment must be like. Each function has the list of rules it may name beside
// it.
namespace hearth::admission::dynamo {

// The schema refuses more than 25; what is beyond is not worth the time.
inline constexpr size_t kMostComponents = 100;

// Components by name; of several the last. The names live as long as the graph.
using ComponentsByName = SeededMap<std::string_view, const json::Value*>;
ComponentsByName ByName(const json::Value& graph);

// metadata.annotations.
void CheckAnnotations(const json::Value& graph, Findings& findings);
void CheckAnnotationsUpdate(const json::Value& graph, const json::Value& old, Findings& findings);
RuleList AnnotationRuleList();

// spec.restart.
void CheckRestart(const json::Value& graph, Findings& findings);
void CheckRestartUpdate(const json::Value& graph, const json::Value& old, Findings& findings);
RuleList RestartRuleList();

// What may not change between `request.old`, which is there, and the graph.
void CheckGraphUpdate(const json::Value& graph, const Request& request, Findings& findings);
RuleList GraphUpdateRuleList();

}  // namespace hearth::admission::dynamo
