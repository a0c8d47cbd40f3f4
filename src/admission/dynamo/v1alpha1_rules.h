#pragma once

#include "admission/dynamo/internal/finding_list.h"
#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "json/value.h"

// What only the older version can say, and say wrongly.
namespace hearth::admission::dynamo {

// Of an object of either kind as v1beta1: whether it can be read as v1alpha1, and when it keeps
// fields of that version in an annotation, whether they say something sensible.
void ValidateOlderForm(const json::Value& object, const Request& request, Findings& findings);

// Only whether it can be read as v1alpha1. One that cannot be would fail every list that it is in,
// so this is asked even of what is being deleted. Silent when what is stored already cannot be.
void ValidateReadable(const json::Value& object, const Request& request, Findings& findings);

// The v1alpha1 form itself; paths are those of that version.
void CheckOlderForm(const json::Value& v1alpha1, Findings& findings);
RuleList OlderFormRuleList();

}  // namespace hearth::admission::dynamo
