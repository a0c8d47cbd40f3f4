#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/parse.h"
#include "json/strategic_merge.h"

namespace {

constexpr std::string_view kDocument =
    R"({"metadata":{"name":"a","labels":{"x":"1"},"finalizers":["f","g","h"]},)"
    R"("spec":{"containers":[{"name":"a","image":"i",)"
    R"("ports":[{"containerPort":80},{"containerPort":81}],)"
    R"("args":["x"]},{"name":"b","env":[{"name":"E","value":"1"}]}],)"
    R"("volumes":[{"name":"v","emptyDir":{}}],)"
    R"("tolerations":[{"key":"k"}],)"
    R"("strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}})";

}  // namespace

// The bytes are a patch of a small Pod: refused, it changes nothing; taken, it leaves valid JSON.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hearth::json::Value;
  const auto patch = hearth::json::ParseValue({reinterpret_cast<const char*>(data), size});
  if (!patch.ok()) {
    return 0;
  }
  const Value before = hearth::json::ParseValue(kDocument).value();
  Value document = before;
  const hearth::Status status =
      hearth::json::ApplyStrategicMergePatch(document, *patch, hearth::json::PodMergeSchema());
  if (status.ok()) {
    CHECK(document.IsObject());
    CHECK(hearth::json::ParseValue(document.Write()).ok()) << document.Write();
  } else {
    CHECK(document == before);
  }
  return 0;
}
