// Specs of templates are users' text: whatever they say, what v1beta1 can say comes back as it was,
// and what v1beta1 says is said in v1.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "claims/versions.h"
#include "json/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hearth::claims::ApiVersion;
  using hearth::claims::SpecFrom;
  using hearth::claims::SpecTo;
  using hearth::json::Value;
  const auto parsed =
      hearth::json::Parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!parsed.ok()) {
    return 0;
  }
  const Value spec(parsed->view());
  const auto flat = SpecTo(ApiVersion::kV1Beta1, spec);
  if (flat.ok()) {
    CHECK(SpecFrom(ApiVersion::kV1Beta1, *flat) == spec) << spec.Write();
  }
  const Value nested = SpecFrom(ApiVersion::kV1Beta1, spec);
  CHECK(SpecFrom(ApiVersion::kV1Beta1, nested) == nested) << nested.Write();
  return 0;
}
