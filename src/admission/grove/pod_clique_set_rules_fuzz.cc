// The bytes are an object, and after a zero byte what it was before. Whatever they are, they are
// judged, and what is defaulted once stays as it is.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "admission/grove/grove_rules.h"
#include "base/check.h"
#include "json/parse.h"

namespace hearth::admission {
namespace {

void Judge(const KindRules& kind, const json::Value& object, const Request& request) {
  Findings findings;
  kind.validate(object, request, findings);
  for (const Finding& finding : findings.errors()) {
    CHECK(finding.rule != nullptr && !finding.error.path.empty());
    CHECK(!finding.error.ToString().empty());
  }
}

void CheckObject(const json::Value& given, const json::Value* old) {
  Request request;
  request.operation = old == nullptr ? Operation::kCreate : Operation::kUpdate;
  request.old = old;
  for (const KindRules& kind : GroveRules()) {
    json::Value object = given;
    Judge(kind, object, request);
    if (kind.set_defaults != nullptr) {
      kind.set_defaults(object, request);
      json::Value again = object;
      kind.set_defaults(again, request);
      CHECK(again == object) << object.Write() << " " << again.Write();
    }
    request.setup.topology = false;
    request.setup.schedulers = {"kai-scheduler"};
    Judge(kind, object, request);
  }
}

}  // namespace
}  // namespace hearth::admission

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t zero = text.find('\0');
  const hearth::json::ParseLimits limits{.max_depth = 64};
  const auto object = hearth::json::ParseValue(text.substr(0, zero), limits);
  if (!object.ok()) {
    return 0;
  }
  if (zero == std::string_view::npos) {
    hearth::admission::CheckObject(*object, nullptr);
    return 0;
  }
  const auto old = hearth::json::ParseValue(text.substr(zero + 1), limits);
  if (old.ok()) {
    hearth::admission::CheckObject(*object, &*old);
  }
  return 0;
}
