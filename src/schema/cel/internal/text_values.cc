#include "schema/cel/internal/text_values.h"

#include "base/base64.h"
#include "cel/time_text.h"

namespace hearth::schema::internal {

cel::Value TextValue(const std::string& text, std::string_view format) {
  if (format == "date-time") {
    return cel::TimestampOf(text);
  }
  if (format == "date") {
    return cel::TimestampOf(text + "T00:00:00Z");
  }
  if (format == "duration") {
    return cel::DurationOf(text);
  }
  if (format == "byte") {
    auto bytes = DecodeBase64(text);
    return bytes.ok() ? cel::Value::Bytes(*std::move(bytes))
                      : cel::Value::Error("invalid base64 in a byte string");
  }
  return cel::Value::BorrowedString(text);
}

}  // namespace hearth::schema::internal
