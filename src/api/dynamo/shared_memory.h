#pragma once

#include "api/table/struct_table.h"

namespace hearth::api::dynamo {

// /dev/shm of a pod, as DynamoCheckpoint and older versions have it.
struct SharedMemory {
  bool disabled = false;
  json::Value size;  // a quantity
  static const StructTable& Fields();
};

}  // namespace hearth::api::dynamo
