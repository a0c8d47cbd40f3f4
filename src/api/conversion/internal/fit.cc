#include "api/conversion/internal/fit.h"

#include <fmt/format.h>

#include "api/conversion/convert.h"
#include "api/conversion/internal/largest_kept.h"

namespace hearth::api::conversion::internal {
namespace {

// A text may begin with a word more: that there were no annotations.
constexpr size_t kMostBeginning = 32;

size_t BytesOfOthers(const json::Value& metadata, const AnnotationNames& names) {
  const json::Value* annotations = metadata.Find("annotations");
  if (annotations == nullptr || !annotations->IsObject()) {
    return 0;
  }
  size_t bytes = 0;
  for (const auto& [name, text] : annotations->members()) {
    if (name != names.spec && name != names.status) {
      bytes += name.size() + (text.IsString() ? text.string().size() : 0);
    }
  }
  return bytes;
}

size_t Bytes(std::string_view name, const std::optional<std::string>& text) {
  return text.has_value() ? name.size() + text->size() + kMostBeginning : 0;
}

Status TooMuch(const AnnotationNames& names, const std::string& kept, size_t others) {
  return Status(
      Code::kInvalid, std::string(kTooMuchToKeepReason),
      fmt::format("{}: the other version has no word for this and more, so annotation {} would "
                  "have to keep it in {} bytes; with {} bytes of other annotations these are more "
                  "than the {} that an API server takes: shorten it, or the annotations",
                  LargestKept(kept, "spec"), names.spec, kept.size(), others,
                  kMostAnnotationBytes));
}

}  // namespace

Status MakeFit(const json::Value& metadata, const AnnotationNames& names, SavedTexts& saved) {
  if (!saved.spec.has_value() && !saved.status.has_value()) {
    return Status::Ok();
  }
  const size_t others = BytesOfOthers(metadata, names);
  const size_t with_spec = others + Bytes(names.spec, saved.spec);
  if (with_spec + Bytes(names.status, saved.status) > kMostAnnotationBytes) {
    saved.status.reset();
  }
  if (saved.spec.has_value() && with_spec > kMostAnnotationBytes) {
    return TooMuch(names, *saved.spec, others);
  }
  return Status::Ok();
}

}  // namespace hearth::api::conversion::internal
