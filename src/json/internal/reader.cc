#include "json/internal/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "json/internal/bracket_scanner.h"
#include "json/internal/escape.h"
#include "json/internal/number.h"
#include "json/internal/utf8.h"

namespace hearth::json::internal {
namespace {

// Reading goes down one call per level: more than this is refused whatever the limits say.
constexpr int kDepthCeiling = 2000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

ParseLimits Bounded(ParseLimits limits) {
  limits.max_depth = std::min(limits.max_depth, kDepthCeiling);
  return limits;
}

}  // namespace

Reader::Reader(const ParseLimits& limits) : limits_(Bounded(limits)) {}

std::nullptr_t Reader::Fail(const char* what, const char* at) {
  fault_ = {.what = what, .at = at};
  return nullptr;
}

std::nullptr_t Reader::FailLimit(const char* what, const char* at) {
  fault_ = {.what = what, .at = at, .code = Code::kExhausted};
  return nullptr;
}

bool Reader::FailDuplicate(std::string_view name) {
  // An escaped name was copied; then the text as a whole is all there is to point at.
  const bool in_text = name.data() >= begin_ && name.data() < end_;
  fault_ = {.what = "duplicate member", .at = in_text ? name.data() : begin_, .name = name};
  return false;
}

std::string Reader::Found(const char* at) const {
  if (at == end_) {
    return "the end of the text";
  }
  const auto byte = static_cast<unsigned char>(*at);
  return byte > ' ' && byte < 0x7F ? fmt::format("'{}'", *at) : fmt::format("byte 0x{:02x}", byte);
}

Status Reader::status() const {
  if (fault_.what == nullptr) {
    return Status::Ok();
  }
  const auto offset = fault_.at - begin_;
  if (fault_.code == Code::kExhausted) {
    return ExhaustedError(fmt::format("JSON over a limit at byte {}: {}", offset, fault_.what));
  }
  const std::string detail = fault_.name.data() != nullptr
                                 ? fmt::format("{} \"{}\"", fault_.what, Excerpt(fault_.name, 100))
                                 : fmt::format("{}, found {}", fault_.what, Found(fault_.at));
  return InvalidError(fmt::format("invalid JSON at byte {}: {}", offset, detail));
}

const char* Reader::Start(std::string_view text) {
  begin_ = text.data();
  end_ = begin_ + text.size();
  run_ = nullptr;
  fault_ = {};
  names_.Clear();
  unescaped_.clear();
  out_.clear();
  if (text.empty()) {
    return Fail("expected a value", end_);
  }
  if (text.size() > limits_.max_bytes) {
    return FailLimit("more bytes than allowed", begin_ + limits_.max_bytes);
  }
  if (!IsUtf8(text)) {
    return Fail("invalid UTF-8", begin_ + FindInvalidUtf8(text));
  }
  if (text.starts_with(kByteOrderMark)) {
    return Fail("a byte order mark, which JSON does not allow", begin_);
  }
  const char* p = SkipSpace(begin_);
  return p != end_ ? p : Fail("expected a value", p);
}

const char* Reader::Finish(const char* p) {
  p = SkipSpace(p);
  return p == end_ ? p : Fail("expected nothing more after the value", p);
}

const char* Reader::SkipSpaceSlowly(const char* p) {
  const char* from = p;
  while (p != end_ && IsSpace(*p)) {
    ++p;
  }
  if (run_ != nullptr) {
    out_.append(run_, from);
    run_ = p;
  }
  return p;
}

void Reader::BeginCopy(const Name& name, const char* p) {
  const char* behind = name.token.data() + name.token.size();
  if (p - behind == 1) {  // the colon alone
    run_ = name.token.data();
    return;
  }
  out_.append(name.token);
  out_ += ':';
  run_ = p;
}

void Reader::EndCopy(const char* p) { out_.append(std::exchange(run_, nullptr), p); }

std::string_view Reader::EndCopyInPlace(const char* p) {
  if (out_.empty()) {
    const char* begin = std::exchange(run_, nullptr);
    return {begin, static_cast<size_t>(p - begin)};
  }
  EndCopy(p);
  return out_;
}

const char* Reader::CheckValue(const char* p, int depth) {
  switch (At(p)) {
    case '"':
      return CheckString(p);
    case '{':
      return CheckObject(p, depth);
    case '[':
      return CheckArray(p, depth);
    case 't':
      return CheckWord(p, "true");
    case 'f':
      return CheckWord(p, "false");
    case 'n':
      return CheckWord(p, "null");
    default:
      return CheckNumber(p);
  }
}

const char* Reader::CheckObject(const char* p, int depth) {
  NameSet::Scope names(names_);
  const char* behind = ReadObject(p, depth, [&](const char* value, const Name& name) {
    return AddName(names, name.text) ? CheckValue(value, depth + 1) : nullptr;
  });
  return behind != nullptr && CheckNames(names) ? behind : nullptr;
}

const char* Reader::CheckArray(const char* p, int depth) {
  return ReadArray(p, depth, [&](const char* item) { return CheckValue(item, depth + 1); });
}

const char* Reader::SkipValue(const char* p) {
  const char open = At(p);
  if (open != '{' && open != '[') {
    return CheckValue(p, 0);
  }
  const char* behind = BracketScanner().Scan(p, end_);
  if (behind == nullptr) {
    return Fail("expected a closing bracket", end_);
  }
  return behind[-1] == (open == '{' ? '}' : ']')
             ? behind
             : Fail("expected the other closing bracket", behind - 1);
}

std::string_view Reader::Unescaped(std::string_view raw) {
  if (unescaped_.empty()) {
    // All names together are shorter than the text, so what is handed out below never moves.
    unescaped_.reserve(end_ - begin_);
  }
  const size_t begin = unescaped_.size();
  AppendUnescaped(unescaped_, raw);
  return std::string_view(unescaped_).substr(begin);
}

const char* Reader::CheckEscapes(const char* stop) {
  while (At(stop) == '\\') {
    const size_t length = EscapeLength({stop, static_cast<size_t>(end_ - stop)});
    if (length == 0) {
      return Fail("expected a valid escape", stop);
    }
    stop = FindStringStop(stop + length, end_);
  }
  if (stop == end_) {
    return Fail("expected a closing quote", end_);
  }
  return *stop == '"' ? stop + 1 : Fail("expected no bare control character in a string", stop);
}

const char* Reader::CheckNumber(const char* p) {
  const char* behind = NumberEnd(p, end_);
  if (behind == nullptr) {
    const bool numeric = At(p) == '-' || (At(p) >= '0' && At(p) <= '9');
    return Fail(numeric ? "expected a complete number" : "expected a value", p);
  }
  return behind;
}

const char* Reader::CheckWord(const char* p, std::string_view word) {
  const std::string_view rest(p, end_ - p);
  return rest.starts_with(word) ? p + word.size() : Fail("expected a value", p);
}

}  // namespace hearth::json::internal
