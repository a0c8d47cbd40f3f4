#include "json/parse.h"

#include "json/internal/reader.h"
#include "json/internal/value_reader.h"

namespace hearth::json {
namespace {

// The checked text without white space; valid as long as the reader and what it read from.
Result<std::string_view> Compact(internal::Reader& reader, std::string_view text) {
  const char* p = reader.Start(text);
  if (p == nullptr) {
    return reader.status();
  }
  reader.BeginCopy(p);
  p = reader.CheckValue(p, 0);
  if (p == nullptr) {
    return reader.status();
  }
  const std::string_view compact = reader.EndCopyInPlace(p);
  if (reader.Finish(p) == nullptr) {
    return reader.status();
  }
  return compact;
}

}  // namespace

Result<Blob> Parse(std::string_view text, const ParseLimits& limits) {
  internal::Reader reader(limits);
  ASSIGN_OR_RETURN(const std::string_view compact, Compact(reader, text));
  return Blob::Trusted(compact);
}

Result<Value> ParseValue(std::string_view text, const ParseLimits& limits) {
  internal::Reader reader(limits);
  ASSIGN_OR_RETURN(const std::string_view compact, Compact(reader, text));
  return internal::ReadValue(compact);
}

}  // namespace hearth::json
