#pragma once

#include "admission/rules/rule.h"
#include "json/value.h"
#include "schema/field_path.h"

namespace hearth::admission::dynamo {

// Reads job.podTemplate, which the schema leaves alone, as strictly as any other pod template:
// unknown fields and values of the wrong type are told with their places. What is required of a
// whole pod, its containers, may be left out: this is merged over one. `job` may be null.
void CheckJobOverlay(const json::Value* job, const schema::FieldPath& path, Findings& findings);
extern const Rule kJobOverlayIsStrict;

}  // namespace hearth::admission::dynamo
