#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "json/parse.h"
#include "kube/client/internal/discovery_document.h"

namespace {

using namespace hearth::kube;

void CheckUsable(const std::vector<Discovery::Entry>& entries) {
  for (const Discovery::Entry& entry : entries) {
    CHECK(!entry.type.name.empty() && !entry.type.kind.empty());
  }
}

}  // namespace

// Each document is taken for each of the kinds there are: a server may answer with any.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto document = hearth::json::Parse({reinterpret_cast<const char*>(data), size},
                                            {.allow_duplicate_keys = true});
  if (document.ok()) {
    (void)internal::IsAggregated(document->view());
    CheckUsable(internal::ReadAggregated(document->view()));
    for (const internal::ServedVersion& version : internal::ReadVersions(document->view())) {
      CHECK(version.Path().starts_with("/api"));
    }
    CheckUsable(internal::ReadResources({"apps", "v1"}, document->view()));
  }
  return 0;
}
