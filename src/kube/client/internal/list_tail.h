#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "json/item_splitter.h"

namespace hearth::kube::internal {

// What a list says beside its items.
struct ListTail {
  std::string resource_version;
  std::string continue_token;
  int64_t remaining = 0;
};

json::ItemSplitter::Limits SplitLimits(size_t max_object_bytes);
// From what ItemSplitter::Finish gives.
Result<ListTail> ReadListTail(const Result<std::string>& rest);

}  // namespace hearth::kube::internal
