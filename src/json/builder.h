#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/blob.h"
#include "json/view.h"

namespace hearth::json {

// Writes JSON text front to back without a tree:
//   Builder b;
//   b.BeginObject().Key("spec").BeginObject().Key("replicas").Int(3).EndObject().EndObject();
//   Blob blob = b.ToBlob();
// Commas are its business. CHECKs that calls come in an order that makes valid JSON.
class Builder {
 public:
  Builder& BeginObject();
  Builder& EndObject();
  Builder& BeginArray();
  Builder& EndArray();
  Builder& Key(std::string_view name);

  Builder& String(std::string_view text);  // invalid UTF-8 is replaced by U+FFFD
  Builder& Int(int64_t value);
  Builder& Uint(uint64_t value);
  Builder& Double(double value);  // shortest text that reads back the same; not finite is null
  Builder& Bool(bool value);
  Builder& Null();
  Builder& Raw(View value);  // copied as it is; absent is null

  const std::string& text() const { return text_; }  // complete only when every Begin has its End
  std::string Take();
  Blob ToBlob() const;

 private:
  void BeforeValue();

  std::string text_;
  std::vector<char> open_;  // '{' or '['
  bool need_comma_ = false;
  bool after_key_ = false;
};

// Appends `text` as a JSON string, quotes included.
void AppendQuoted(std::string& out, std::string_view text);

}  // namespace hearth::json
