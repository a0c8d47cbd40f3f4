#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/internal/same_value.h"
#include "json/parse.h"
#include "json/patch.h"

namespace {

constexpr std::string_view kDocument =
    R"({"metadata":{"name":"a","labels":{"x":"1","a/b":"2","~":"3"}},)"
    R"("spec":{"list":[1,[2,{"c":null}],"d"],"n":1.50}})";

}  // namespace

// The bytes are a patch of a small document: refused, it changes nothing; taken, it leaves valid
// JSON.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hearth::json::Value;
  const auto patch = hearth::json::ParseValue({reinterpret_cast<const char*>(data), size});
  if (!patch.ok()) {
    return 0;
  }
  const Value before = hearth::json::ParseValue(kDocument).value();
  Value document = before;
  if (hearth::json::ApplyJsonPatch(document, *patch).ok()) {
    CHECK(hearth::json::ParseValue(document.Write()).ok()) << document.Write();
    Value again = before;
    const Value diff = hearth::json::DiffJsonPatch(before, document);
    CHECK(hearth::json::ApplyJsonPatch(again, diff).ok()) << diff.Write();
    CHECK(hearth::json::internal::SameValue(again, document)) << diff.Write();
  } else {
    CHECK(document == before);
  }

  Value merged = before;
  hearth::json::ApplyMergePatch(merged, *patch);
  const auto diff = hearth::json::DiffMergePatch(before, merged);
  if (diff.ok()) {
    Value again = before;
    hearth::json::ApplyMergePatch(again, *diff);
    CHECK(hearth::json::internal::SameValue(again, merged)) << diff->Write();
  }
  return 0;
}
