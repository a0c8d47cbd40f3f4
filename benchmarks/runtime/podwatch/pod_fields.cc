#include "pod_fields.h"

#include "base/check.h"

namespace hearth::bench {

json::FieldSet WholePod::Fields() {
  json::FieldSet fields = json::FieldSet::Everything();
  const Status dropped = fields.Add("metadata.managedFields", json::FieldSet::Mark::kDropped);
  CHECK(dropped.ok()) << dropped.ToString();
  return fields;
}

}  // namespace hearth::bench
