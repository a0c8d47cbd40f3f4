#include "admission/rules/user_words.h"

#include "api/conversion/convert.h"

namespace hearth::admission {
namespace {

bool IsPlain(const json::Value& value) { return !value.IsObject() && !value.IsArray(); }

}  // namespace

void UserWords::Translate(schema::FieldError& error) const {
  auto place = api::conversion::FindInV1alpha1(v1alpha1_, v1beta1_, error.path);
  error.path = std::move(place.path);
  // Texts of what is no plain value are JSON, and begin so.
  const bool was_plain = error.bad_value.find_first_of("{[") != 0;
  if (!error.bad_value.empty() && place.value != nullptr && was_plain && IsPlain(*place.value)) {
    error.bad_value = schema::ValueText(*place.value);
  }
}

void UserWords::Translate(Warning& warning) const {
  if (!warning.path.empty()) {
    warning.path = api::conversion::FindInV1alpha1(v1alpha1_, v1beta1_, warning.path).path;
  }
}

}  // namespace hearth::admission
