#pragma once

#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "schema/field_path.h"

// What the operator was set up not to do, told where an object asks for it.
namespace hearth::admission::dynamo {

void CheckSnapshotsOn(const Setup& setup, const schema::FieldPath& path, Findings& findings);
void CheckGmsSnapshotsOn(const Setup& setup, const schema::FieldPath& path, Findings& findings);
extern const Rule kSnapshotsOn;
extern const Rule kGmsSnapshotsOn;

}  // namespace hearth::admission::dynamo
