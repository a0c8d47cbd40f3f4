#pragma once

#include "base/result.h"
#include "json/value.h"

namespace hearth::json {

// RFC 6902. All operations or none: on failure `document` is unchanged and the error names the
// operation and its path. A failed `test` is kConflict, everything else that is wrong kInvalid:
// also more than 10,000 operations, a document nested deeper than 512, and copies of more than 16
// MiB together.
Status ApplyJsonPatch(Value& document, const Value& patch);
// A patch of add, remove and replace that turns `from` into `to`; an empty array when they are the
// same (numbers by value). Says only what differs: objects are compared member by member, arrays by
// position between what begins and what ends the same.
Value DiffJsonPatch(const Value& from, const Value& to);

// RFC 7386.
void ApplyMergePatch(Value& document, const Value& patch);
// The smallest merge patch that turns `from` into `to`; an empty object when they are the same. Not
// every change can be said in a merge patch (a member set to null); kUnsupported then.
Result<Value> DiffMergePatch(const Value& from, const Value& to);

}  // namespace hearth::json
