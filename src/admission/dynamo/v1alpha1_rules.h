#pragma once

#include "admission/dynamo/internal/finding_list.h"
#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "json/value.h"

// What only the older version can say, and say wrongly.
namespace hearth::admission::dynamo {

// Of an object of either kind as v1beta1 that keeps fields of v1alpha1 in an annotation: checks its
// v1alpha1 form. Does nothing without that annotation, or when the form cannot be had.
void ValidateOlderForm(const json::Value& object, const Request& request, Findings& findings);

// The v1alpha1 form itself; paths are those of that version.
void CheckOlderForm(const json::Value& v1alpha1, Findings& findings);
RuleList OlderFormRuleList();

}  // namespace hearth::admission::dynamo
