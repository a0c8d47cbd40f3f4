#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "json/internal/utf8.h"
#include "json/internal/yaml_scalar.h"
#include "json/yaml.h"

namespace hearth::json {
namespace {

constexpr int kStep = 2;
// A key this long no longer fits before its colon: readers look ahead 1024 characters.
constexpr size_t kLongKey = 1000;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The character `rest` begins with; U+FFFD for a byte that is none.
struct Character {
  std::string_view bytes;
  uint32_t code;
};

Character Front(std::string_view rest) {
  const size_t length = internal::CharacterLength(rest);
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(rest[i])); };
  switch (length) {
    case 1:
      return {rest.substr(0, 1), byte(0)};
    case 2:
      return {rest.substr(0, 2), (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F)};
    case 3:
      return {rest.substr(0, 3), (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F)};
    case 4:
      return {rest.substr(0, 4), (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 |
                                     (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F)};
    default:
      return {rest.substr(0, 1), UINT32_MAX};
  }
}

// Whether it may stand in YAML as it is, and is no line break there (U+0085, U+2028 and U+2029
// are).
bool IsPrintable(uint32_t code) {
  if (code < 0x80) {
    return code >= 0x20 && code != 0x7F;
  }
  return code >= 0xA0 && code <= 0x10FFFF && code != 0x2028 && code != 0x2029 && code != 0xFEFF &&
         code != 0xFFFE && code != 0xFFFF;
}

// Whether all of it may stand as it is, counting `more` as printable.
bool AllPrintable(std::string_view text, std::string_view more) {
  for (std::string_view rest = text; !rest.empty();) {
    const Character next = Front(rest);
    const bool allowed = next.code < 0x80 && more.find(rest.front()) != more.npos;
    if (!allowed && !IsPrintable(next.code)) {
      return false;
    }
    rest.remove_prefix(next.bytes.size());
  }
  return true;
}

std::string Escape(uint32_t code) {
  switch (code) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return code <= 0xFF ? fmt::format("\\x{:02X}", code) : fmt::format("\\u{:04X}", code);
  }
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (std::string_view rest = text; !rest.empty();) {
    const Character next = Front(rest);
    if (next.code == UINT32_MAX) {
      quoted += kReplacement;
    } else if (IsPrintable(next.code) && next.code != '"' && next.code != '\\') {
      quoted += next.bytes;
    } else {
      quoted += Escape(next.code);
    }
    rest.remove_prefix(next.bytes.size());
  }
  return quoted + "\"";
}

bool EndsAt(std::string_view text, size_t place) { return place >= text.size(); }
bool BlankOrEndAt(std::string_view text, size_t place) {
  return EndsAt(text, place) || text[place] == ' ';
}

// "---" and "..." alone or before a blank end a document.
bool IsDocumentMark(std::string_view text) {
  return (text.starts_with("---") || text.starts_with("...")) && BlankOrEndAt(text, 3);
}

bool MayBegin(std::string_view text) {
  constexpr std::string_view kIndicators = ",[]{}#&*!|>'\"%@` ";
  constexpr std::string_view kIndicatorsBeforeBlank = "-?:";
  const char first = text.front();
  if (kIndicatorsBeforeBlank.find(first) != kIndicatorsBeforeBlank.npos) {
    return !BlankOrEndAt(text, 1) && !IsDocumentMark(text);
  }
  return kIndicators.find(first) == kIndicators.npos && !IsDocumentMark(text);
}

// Whether the text can stand without quotes and is read back as this very string.
bool IsPlain(std::string_view text) {
  return !text.empty() && MayBegin(text) && text.back() != ' ' && text.back() != ':' &&
         text.find(": ") == text.npos && text.find(" #") == text.npos && AllPrintable(text, "") &&
         internal::IsStringEverywhere(text);
}

std::string OneLine(std::string_view text) {
  return IsPlain(text) ? std::string(text) : Quoted(text);
}

// Whether the text can be shown line by line under a "|".
bool IsLiteral(std::string_view text) {
  return text.find('\n') != text.npos && text.find_first_not_of('\n') != text.npos &&
         AllPrintable(text, "\n\t");
}

// "|" with what a reader needs to find the indent and the number of line ends at the end.
std::string LiteralHeader(std::string_view text) {
  std::string header = "|";
  if (text.front() == ' ' || text.front() == '\t' || text.front() == '\n') {
    header += std::to_string(kStep);
  }
  if (text.back() != '\n') {
    header += '-';
  } else if (text.ends_with("\n\n")) {
    header += '+';
  }
  return header;
}

std::string NumberText(const std::string& token) {
  return internal::FitsDouble(token) ? token : "!!float " + token;
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void Document(const Value& value) {
    if (value.IsObject() && !value.members().empty()) {
      Mapping(value, 0, false);
    } else if (value.IsArray() && !value.items().empty()) {
      Sequence(value, 0, false);
    } else {
      Scalar(value, 0);
    }
  }

 private:
  void Indent(int column) { out_.append(static_cast<size_t>(column), ' '); }

  // `column` is where the members stand; the first may stand behind a dash that is already written.
  void Mapping(const Value& value, int column, bool behind_dash) {
    for (const auto& [name, member] : value.members()) {
      if (!std::exchange(behind_dash, false)) {
        Indent(column);
      }
      Key(name, column);
      BehindKey(member, column);
    }
  }

  void Sequence(const Value& value, int column, bool behind_dash) {
    for (const Value& item : value.items()) {
      if (!std::exchange(behind_dash, false)) {
        Indent(column);
      }
      out_ += "- ";
      BehindDash(item, column);
    }
  }

  void Key(std::string_view name, int column) {
    const std::string key = OneLine(name);
    if (key.size() > kLongKey) {
      out_ += "? " + key + "\n";
      Indent(column);
    } else {
      out_ += key;
    }
    out_ += ':';
  }

  void BehindKey(const Value& value, int column) {
    if (value.IsObject() && !value.members().empty()) {
      out_ += '\n';
      Mapping(value, column + kStep, false);
    } else if (value.IsArray() && !value.items().empty()) {
      out_ += '\n';
      Sequence(value, column, false);  // as kubectl does, dashes below the key's first letter
    } else {
      out_ += ' ';
      Scalar(value, column);
    }
  }

  void BehindDash(const Value& value, int column) {
    if (value.IsObject() && !value.members().empty()) {
      Mapping(value, column + kStep, true);
    } else if (value.IsArray() && !value.items().empty()) {
      Sequence(value, column + kStep, true);
    } else {
      Scalar(value, column);
    }
  }

  void Scalar(const Value& value, int column) {
    switch (value.kind()) {
      case Kind::kObject:
        out_ += "{}\n";
        return;
      case Kind::kArray:
        out_ += "[]\n";
        return;
      case Kind::kBool:
        out_ += value.boolean() ? "true\n" : "false\n";
        return;
      case Kind::kNumber:
        out_ += NumberText(value.number()) + "\n";
        return;
      case Kind::kString:
        String(value.string(), column);
        return;
      default:
        out_ += "null\n";
    }
  }

  void String(std::string_view text, int column) {
    if (!IsLiteral(text)) {
      out_ += OneLine(text) + "\n";
      return;
    }
    out_ += LiteralHeader(text) + "\n";
    if (text.back() == '\n') {
      text.remove_suffix(1);
    }
    size_t begin = 0;
    while (begin <= text.size()) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      Line(text.substr(begin, end - begin), column + kStep);
      begin = end + 1;
    }
  }

  void Line(std::string_view line, int column) {
    if (!line.empty()) {
      Indent(column);
      out_ += line;
    }
    out_ += '\n';
  }

  std::string& out_;
};

}  // namespace

std::string WriteYaml(const Value& value) {
  std::string out;
  Writer(out).Document(value);
  return out;
}

std::string WriteYaml(const std::vector<Value>& documents) {
  std::string out;
  for (size_t i = 0; i < documents.size(); ++i) {
    if (i > 0) {
      out += "---\n";
    }
    Writer(out).Document(documents[i]);
  }
  return out;
}

}  // namespace hearth::json
