#include <fmt/format.h>

#include <charconv>
#include <string>

#include "cel/internal/lexer.h"
#include "cel/internal/utf8.h"

namespace hearth::cel::internal {
namespace {

// Pairs of the letter after a backslash and what it stands for.
constexpr std::string_view kSimpleEscapes = "a\ab\bf\fn\nr\rt\tv\v\\\\''\"\"``??";

// Replaces the escapes of a literal that is not raw.
class Unescaper {
 public:
  Unescaper(std::string_view text, bool bytes) : text_(text), bytes_(bytes) {}

  Result<std::string> Run() {
    while (at_ < text_.size()) {
      if (text_[at_] != '\\') {
        out_ += text_[at_++];
        continue;
      }
      ++at_;
      RETURN_IF_ERROR(Escape());
    }
    return std::move(out_);
  }

 private:
  Status Escape() {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    for (size_t i = 0; i < kSimpleEscapes.size(); i += 2) {
      if (kSimpleEscapes[i] == c) {
        out_ += kSimpleEscapes[i + 1];
        ++at_;
        return Status::Ok();
      }
    }
    if (c >= '0' && c <= '3') {
      return CodePoint(3, 8, bytes_);
    }
    ++at_;
    if (c == 'x' || c == 'X') {
      return CodePoint(2, 16, bytes_);
    }
    if ((c == 'u' || c == 'U') && !bytes_) {
      return CodePoint(c == 'u' ? 4 : 8, 16, false);
    }
    return InvalidError(fmt::format("syntax error: unknown escape '\\{}'", c));
  }

  Status CodePoint(size_t digits, int base, bool as_byte) {
    const std::string_view written = text_.substr(at_, digits);
    uint32_t value = 0;
    const char* end = written.data() + written.size();
    const auto read = std::from_chars(written.data(), end, value, base);
    if (written.size() != digits || read.ec != std::errc() || read.ptr != end) {
      return InvalidError("syntax error: an escape has too few digits");
    }
    at_ += digits;
    if (as_byte) {
      out_ += static_cast<char>(value);
    } else if (IsCodePoint(value)) {
      AppendUtf8(value, out_);
    } else {
      return InvalidError("syntax error: an escape names no character");
    }
    return Status::Ok();
  }

  std::string_view text_;
  bool bytes_;
  size_t at_ = 0;
  std::string out_;
};

// Line ends of every system read as one.
std::string NormalizeLineEnds(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      out += '\n';
      i += i + 1 < text.size() && text[i + 1] == '\n' ? 1 : 0;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

Result<Value> ReadQuoted(std::string_view written) {
  const size_t quote = written.find_first_of("'\"");
  const std::string_view prefix = written.substr(0, quote);
  const bool raw = prefix.find_first_of("rR") != std::string_view::npos;
  const bool bytes = prefix.find_first_of("bB") != std::string_view::npos;
  const bool triple = written.size() >= quote + 6 && written[quote + 1] == written[quote] &&
                      written[quote + 2] == written[quote];
  const size_t marks = triple ? 3 : 1;
  std::string text =
      NormalizeLineEnds(written.substr(quote + marks, written.size() - quote - 2 * marks));
  if (!raw) {
    ASSIGN_OR_RETURN(text, Unescaper(text, bytes).Run());
  }
  return bytes ? Value::Bytes(std::move(text)) : Value::String(std::move(text));
}

}  // namespace hearth::cel::internal
