#include "json/builder.h"

#include <utility>

#include "base/check.h"
#include "json/internal/number.h"
#include "json/internal/simd.h"
#include "json/internal/utf8.h"

namespace hearth::json {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

void AppendControl(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 0xF];
}

void AppendEscape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      AppendControl(out, c);
  }
}

// `text` is UTF-8.
void AppendEscaped(std::string& out, std::string_view text) {
  const char* p = text.data();
  const char* end = p + text.size();
  while (p != end) {
    const char* stop = internal::FindStringStop(p, end);
    out.append(p, stop);
    if (stop == end) {
      return;
    }
    AppendEscape(out, *stop);
    p = stop + 1;
  }
}

// Every byte that belongs to no character becomes one U+FFFD.
void AppendRepaired(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const size_t valid = internal::FindInvalidUtf8(text);
    AppendEscaped(out, text.substr(0, valid));
    text.remove_prefix(valid);
    if (!text.empty()) {
      out += kReplacement;
      text.remove_prefix(1);
    }
  }
}

}  // namespace

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  if (internal::IsUtf8(text)) {
    AppendEscaped(out, text);
  } else {
    AppendRepaired(out, text);
  }
  out += '"';
}

void Builder::BeforeValue() {
  if (open_.empty()) {
    CHECK(text_.empty()) << "a second value after " << text_;
  } else if (open_.back() == '{') {
    CHECK(after_key_) << "a value without its key after " << text_;
  } else if (need_comma_) {
    text_ += ',';
  }
  after_key_ = false;
  need_comma_ = true;
}

Builder& Builder::BeginObject() {
  BeforeValue();
  text_ += '{';
  open_.push_back('{');
  need_comma_ = false;
  return *this;
}

Builder& Builder::EndObject() {
  CHECK(!open_.empty() && open_.back() == '{' && !after_key_) << "no object to end after " << text_;
  text_ += '}';
  open_.pop_back();
  need_comma_ = true;
  return *this;
}

Builder& Builder::BeginArray() {
  BeforeValue();
  text_ += '[';
  open_.push_back('[');
  need_comma_ = false;
  return *this;
}

Builder& Builder::EndArray() {
  CHECK(!open_.empty() && open_.back() == '[') << "no array to end after " << text_;
  text_ += ']';
  open_.pop_back();
  need_comma_ = true;
  return *this;
}

Builder& Builder::Key(std::string_view name) {
  CHECK(!open_.empty() && open_.back() == '{' && !after_key_)
      << "no place for a key after " << text_;
  if (need_comma_) {
    text_ += ',';
  }
  AppendQuoted(text_, name);
  text_ += ':';
  after_key_ = true;
  return *this;
}

Builder& Builder::String(std::string_view text) {
  BeforeValue();
  AppendQuoted(text_, text);
  return *this;
}

Builder& Builder::Int(int64_t value) {
  BeforeValue();
  internal::AppendInt(text_, value);
  return *this;
}

Builder& Builder::Uint(uint64_t value) {
  BeforeValue();
  internal::AppendUint(text_, value);
  return *this;
}

Builder& Builder::Double(double value) {
  BeforeValue();
  internal::AppendDouble(text_, value);
  return *this;
}

Builder& Builder::Bool(bool value) {
  BeforeValue();
  text_ += value ? "true" : "false";
  return *this;
}

Builder& Builder::Null() {
  BeforeValue();
  text_ += "null";
  return *this;
}

Builder& Builder::Raw(View value) {
  BeforeValue();
  text_ += value.exists() ? value.raw() : std::string_view("null");
  return *this;
}

std::string Builder::Take() {
  CHECK(open_.empty() && !text_.empty()) << "not complete: " << text_;
  need_comma_ = false;
  return std::exchange(text_, {});
}

Blob Builder::ToBlob() const {
  CHECK(open_.empty() && !text_.empty()) << "not complete: " << text_;
  return Blob::Trusted(text_);
}

}  // namespace hearth::json
