#pragma once

#include "admission/dynamo/internal/component_facts.h"
#include "admission/dynamo/internal/finding_list.h"
#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "schema/field_path.h"

// What the operator's own loader and saver (gpuMemoryService.checkpoint) want of their settings and
// of the pod they are put into.
namespace hearth::admission::dynamo {

// `memory` is a gpuMemoryService of either version, `path` its place.
void CheckGmsClients(const json::Value& memory, const Setup& setup, const schema::FieldPath& path,
                     Findings& findings);
// Containers of `list` (at `path`) that have a name which the operator gives itself.
void CheckNotReserved(const json::Value* list, const schema::FieldPath& path, Findings& findings);
// As above for all containers that a component declares, when it has the block.
void CheckReservedNames(const ComponentFacts& component, const schema::FieldPath& path,
                        Findings& findings);
RuleList GmsClientRuleList();

}  // namespace hearth::admission::dynamo
