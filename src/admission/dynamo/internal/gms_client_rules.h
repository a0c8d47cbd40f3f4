#pragma once

#include "admission/dynamo/internal/component_facts.h"
#include "admission/dynamo/internal/finding_list.h"
#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "schema/field_path.h"

// What the operator's own containers beside a GPU memory service want of their settings and of the
// pod they are put into: the server, and loader and saver (gpuMemoryService.checkpoint).
namespace hearth::admission::dynamo {

// `memory` is a gpuMemoryService of either version, `path` its place.
void CheckGmsClients(const json::Value& memory, const Setup& setup, const schema::FieldPath& path,
                     Findings& findings);
// Containers of `list` (at `path`) that have a name which the operator gives itself.
void CheckNotReserved(const json::Value* list, const schema::FieldPath& path, Findings& findings);
// As above for all containers that a component declares, when it has the block.
void CheckReservedNames(const ComponentFacts& component, const schema::FieldPath& path,
                        Findings& findings);
// What the operator puts into the pod of a component that has the service, as the user has it
// there.
void CheckGmsPod(const ComponentFacts& component, const schema::FieldPath& path,
                 Findings& findings);
RuleList GmsClientRuleList();

}  // namespace hearth::admission::dynamo
