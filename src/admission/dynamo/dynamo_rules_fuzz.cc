// The first byte says which kind it is, what the operator does and whether it is an update; then
// come an object and, after a zero byte, what is stored. Whatever they are, nothing breaks, and
// defaults that are filled in once stay as they are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "admission/dynamo/dynamo_rules.h"
#include "admission/dynamo/v1alpha1_rules.h"
#include "base/check.h"
#include "json/parse.h"

namespace hearth::admission {
namespace {

void CheckObject(const KindRules& rules, json::Value object, const Request& request) {
  if (rules.set_defaults != nullptr) {
    rules.set_defaults(object, request);
    json::Value again = object;
    rules.set_defaults(again, request);
    CHECK(again == object) << object.Write();
  }
  Findings findings;
  rules.validate(object, request, findings);
  dynamo::CheckOlderForm(object, findings);
  for (const Finding& finding : findings.errors()) {
    CHECK(!finding.error.ToString().empty());
  }
}

}  // namespace
}  // namespace hearth::admission

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hearth;  // NOLINT(google-build-using-namespace)
  if (size == 0) {
    return 0;
  }
  const uint8_t flags = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const size_t zero = std::min(text.find('\0'), text.size());
  const json::ParseLimits limits{.max_depth = 64};
  const auto object = json::ParseValue(text.substr(0, zero), limits);
  const auto old = json::ParseValue(text.substr(std::min(zero + 1, text.size())), limits);
  if (!object.ok()) {
    return 0;
  }
  admission::Request request{.user = "system:serviceaccount:a:planner-serviceaccount",
                             .setup = {.grove = (flags & 4) == 0,
                                       .checkpoints = (flags & 8) == 0,
                                       .gms_snapshots = (flags & 16) == 0,
                                       .operator_version = "1.0.0"}};
  if (old.ok()) {
    request.operation = admission::Operation::kUpdate;
    request.old = &*old;
  }
  admission::CheckObject(admission::DynamoRules()[flags % 3], *object, request);
  return 0;
}
