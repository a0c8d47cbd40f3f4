#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace hearth::json {

// How lists of a type merge: what Go's patchStrategy and patchMergeKey tags say.
class MergeSchema {
 public:
  struct List {
    std::string merge_key;     // empty: the list holds plain values, merged as a set
    bool retain_keys = false;  // for maps: patchStrategy retainKeys
  };
  virtual ~MergeSchema() = default;
  // For the list at `path` (member names from the root, elements add nothing): how it merges, or
  // null when it is replaced.
  virtual const List* ListAt(const std::vector<std::string_view>& path) const = 0;
  // Whether the map at `path` has strategy retainKeys.
  virtual bool RetainKeysAt(const std::vector<std::string_view>& path) const = 0;
};

// The merge keys of a Pod spec and the metadata around it, wherever a pod template stands:
// containers by name, env by name, ports by containerPort, volumeMounts by mountPath,
// ownerReferences by uid, ...
const MergeSchema& PodMergeSchema();

// Strategic merge patch with its directives: $patch (replace, delete, merge),
// $deleteFromPrimitiveList/x, $setElementOrder/x, $retainKeys. On failure `document` is unchanged;
// kInvalid names the path.
Status ApplyStrategicMergePatch(Value& document, const Value& patch, const MergeSchema& schema);

}  // namespace hearth::json
