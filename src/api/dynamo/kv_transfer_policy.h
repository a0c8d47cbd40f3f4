#pragma once

#include "api/table/struct_table.h"

namespace hearth::api::dynamo {

// Keeps transfers of the KV cache between prefill and decode workers near. Handed on to the workers
// as it is, so nothing here reads it.
Node KvTransferPolicyNode();

namespace v1alpha1 {

// The same fields, without the rules between them.
Node KvTransferPolicyNode();

}  // namespace v1alpha1
}  // namespace hearth::api::dynamo
