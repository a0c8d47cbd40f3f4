#include "api/dynamo/shared_memory.h"

namespace hearth::api::dynamo {

const StructTable& SharedMemory::Fields() {
  static const StructTable table(
      "The size of /dev/shm.",
      {Field("disabled", &SharedMemory::disabled, "No /dev/shm of our own; size is ignored."),
       Field("size", &SharedMemory::size, Quantity(), "How large it may grow.")},
      {{.rule = "(has(self.disabled) && self.disabled) || (has(self.size) && "
                "(type(self.size) == int ? self.size > 0 : "
                "quantity(self.size).isGreaterThan(quantity('0'))))",
        .message = "size is required when disabled is false"}});
  return table;
}

}  // namespace hearth::api::dynamo
