#pragma once

#include "api/table/struct_table.h"

// The many fields that together made a pod before there was podTemplate.
namespace hearth::api::dynamo::v1alpha1 {

Node ResourcesNode();
Node VolumeMountNode();
// A pod spec with mainContainer; no container has to be complete.
Node ExtraPodSpecNode();
Node FrontendSidecarNode();

}  // namespace hearth::api::dynamo::v1alpha1
