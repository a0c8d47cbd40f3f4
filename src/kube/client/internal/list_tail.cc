#include "kube/client/internal/list_tail.h"

#include "base/strings.h"
#include "json/parse.h"

namespace hearth::kube::internal {

json::ItemSplitter::Limits SplitLimits(size_t max_object_bytes) {
  json::ItemSplitter::Limits limits;
  limits.max_item_bytes = max_object_bytes;
  return limits;
}

Result<ListTail> ReadListTail(const Result<std::string>& rest) {
  RETURN_IF_ERROR(rest);
  auto blob = json::Parse(*rest, {.allow_duplicate_keys = true});
  if (!blob.ok() || !blob->view()["items"].exists()) {
    return InternalError("the server's answer is no list: " + Excerpt(*rest, 120));
  }
  const json::View metadata = blob->view()["metadata"];
  return ListTail{metadata["resourceVersion"].StringOr(""), metadata["continue"].StringOr(""),
                  metadata["remainingItemCount"].Int().value_or(0)};
}

}  // namespace hearth::kube::internal
