// The bytes are an object as JSON. Whatever it is, nothing breaks; and what can be converted comes
// back as it was, but for our own annotations.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/conversion/convert.h"
#include "api/conversion/internal/kinds.h"
#include "base/check.h"
#include "json/parse.h"

namespace hearth::api::conversion {
namespace {

using json::Value;

Value WithoutSaved(Value object) {
  const internal::AnnotationNames& names =
      internal::FindKind(object.Find("kind")->string())->annotations;
  object.Set("metadata", internal::WithSaved(*object.Find("metadata"), names, {}));
  return object;
}

void CheckPaths(const Value& alpha, const Value& beta) {
  for (const std::string_view path :
       {"spec.components[0].podTemplate.spec.containers[0].env[0].name", "spec.compilationCache",
        "spec.components[1].type", "status.components[a]", "metadata.annotations[a.b/c]"}) {
    FindInV1alpha1(alpha, beta, path);
  }
}

void CheckThereAndBack(const Value& object, std::string_view from, std::string_view to) {
  const auto there = Convert(object, to);
  if (!there.ok() || object == *there) {
    return;
  }
  CheckPaths(to == kHubVersion ? object : *there, to == kHubVersion ? *there : object);
  const auto back = Convert(*there, from);
  CHECK(back.ok()) << back.status().ToString() << there->Write();
  CHECK(WithoutSaved(*back).WriteCanonical() == WithoutSaved(object).WriteCanonical())
      << object.Write() << "\n"
      << there->Write() << "\n"
      << back->Write();
  const auto again = Convert(*back, to);
  CHECK(again.ok() &&
        WithoutSaved(*again).WriteCanonical() == WithoutSaved(*there).WriteCanonical())
      << there->Write();
}

}  // namespace
}  // namespace hearth::api::conversion

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hearth::api::conversion::CheckThereAndBack;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto object = hearth::json::ParseValue(text, {.max_depth = 64});
  if (object.ok()) {
    CheckThereAndBack(*object, "v1alpha1", "v1beta1");
    CheckThereAndBack(*object, "v1beta1", "v1alpha1");
  }
  return 0;
}
