// The bytes are a schema and an object, separated by a zero byte. Whatever they are, nothing
// breaks; and what is prepared once stays as it is.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/parse.h"
#include "schema/prepare.h"
#include "schema/validate.h"

namespace hearth::schema {
namespace {

void CheckObject(const Validator& validator, const json::Value& given) {
  json::Value object = given;
  const auto unknown = Prepare(object, *validator.schema());
  if (!unknown.ok()) {
    return;
  }
  json::Value again = object;
  const auto nothing = Prepare(again, *validator.schema());
  CHECK(nothing.ok() && nothing->empty()) << object.Write();
  CHECK(again == object) << object.Write() << " " << again.Write();
  for (const FieldError& error : validator.Validate(object)) {
    CHECK(!error.ToString().empty());
  }
  validator.ValidateUpdate(object, given);
}

void CheckSchema(const json::Value& json, const json::Value& object) {
  const auto schema = FromJson(json);
  if (!schema.ok()) {
    return;
  }
  const auto again = FromJson(ToJson(**schema));
  CHECK(again.ok() && ToJson(**again) == ToJson(**schema)) << json.Write();
  const auto validator = Validator::Make(*schema);
  if (validator.ok()) {
    CheckObject(*validator, object);
  }
}

}  // namespace
}  // namespace hearth::schema

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t zero = text.find('\0');
  if (zero == std::string_view::npos) {
    return 0;
  }
  const hearth::json::ParseLimits limits{.max_depth = 64};
  const auto schema = hearth::json::ParseValue(text.substr(0, zero), limits);
  const auto object = hearth::json::ParseValue(text.substr(zero + 1), limits);
  if (schema.ok() && object.ok()) {
    hearth::schema::CheckSchema(*schema, *object);
  }
  return 0;
}
