#include "api/grove/last_error.h"

namespace hearth::api::grove {

const StructTable& LastError::Fields() {
  static const StructTable table(
      "An error of the latest pass over the object.",
      {Field("code", &LastError::code, "What kind of error, for programs: ERR_CREATE_POD.")
           .Required(),
       Field("description", &LastError::description, "What went wrong, for people.").Required(),
       Field("observedAt", &LastError::observed_at, Timestamp(), "When it was seen.").Required()});
  return table;
}

Node LastErrorList() { return ListOf(Node(LastError::Fields().schema())).Atomic(); }

}  // namespace hearth::api::grove
