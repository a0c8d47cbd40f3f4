#pragma once

#include "api/table/struct_table.h"

namespace hearth::api::dynamo {

// Keeps transfers of the KV cache between prefill and decode workers near. Handed on to the workers
// as it is, so nothing here reads it. The same in both versions.
Node KvTransferPolicyNode();

}  // namespace hearth::api::dynamo
