#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cel/collections.h"
#include "cel/internal/function.h"
#include "cel/internal/meter.h"
#include "cel/internal/text.h"
#include "cel/internal/utf8.h"

namespace hearth::cel::internal {
namespace {

Value OutOfRange(int64_t index) {
  return Value::Error(fmt::format("index out of range: {}", index));
}

Value CharAt(const Call& call) {
  const std::u32string text = Decode(call[0].text());
  const int64_t index = call[1].integer();
  if (index < 0 || index > static_cast<int64_t>(text.size())) {
    return OutOfRange(index);
  }
  return Value::String(Encode(std::u32string_view(text).substr(static_cast<size_t>(index), 1)));
}

Value Position(size_t found) {
  return Value::Int(found == std::u32string::npos ? -1 : static_cast<int64_t>(found));
}

Value IndexOf(const Call& call) {
  const int64_t from = call.args.size() == 3 ? call[2].integer() : 0;
  if (call[1].text().empty()) {
    return Value::Int(from);
  }
  if (from < 0) {
    return OutOfRange(from);
  }
  return Position(Decode(call[0].text()).find(Decode(call[1].text()), static_cast<size_t>(from)));
}

Value LastIndexOf(const Call& call) {
  const std::u32string text = Decode(call[0].text());
  if (call.args.size() == 2) {
    return Position(text.rfind(Decode(call[1].text())));
  }
  const int64_t from = call[2].integer();
  if (call[1].text().empty()) {
    return Value::Int(from);
  }
  if (from < 0) {
    return OutOfRange(from);
  }
  // A start past the end finds nothing, unlike one past the last place the text could stand.
  return from >= static_cast<int64_t>(text.size())
             ? Value::Int(-1)
             : Position(text.rfind(Decode(call[1].text()), static_cast<size_t>(from)));
}

Value LowerAscii(const Call& call) {
  std::string text(call[0].text());
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return Value::String(std::move(text));
}

Value UpperAscii(const Call& call) {
  std::string text(call[0].text());
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return Value::String(std::move(text));
}

// Where `old` stands from `from` on; an empty one stands before every character and at the end.
size_t NextPlace(std::string_view text, std::string_view old, size_t from, bool first) {
  if (!old.empty() || first) {
    return text.find(old, from);
  }
  return from < text.size() ? from + ByteOffset(text.substr(from), 1) : std::string_view::npos;
}

Value Replace(const Call& call) {
  const std::string_view text = call[0].text();
  const std::string_view old = call[1].text();
  int64_t limit = call.args.size() == 4 ? call[3].integer() : -1;
  std::string out;
  size_t done = 0;
  size_t place = limit == 0 ? std::string_view::npos : NextPlace(text, old, 0, true);
  while (place != std::string_view::npos && CountSteps(1 + call[2].text().size() / 16)) {
    out.append(text.substr(done, place - done)).append(call[2].text());
    done = place + old.size();
    place = --limit == 0 ? std::string_view::npos : NextPlace(text, old, done, false);
  }
  return Value::String(out.append(text.substr(done)));
}

Value Split(const Call& call) {
  std::string_view text = call[0].text();
  const std::string_view separator = call[1].text();
  const int64_t limit = call.args.size() == 3 ? call[2].integer() : -1;
  std::vector<Value> pieces;
  if (limit == 0 || (separator.empty() && text.empty())) {
    return MakeList({});
  }
  while (limit < 0 || static_cast<int64_t>(pieces.size()) < limit - 1) {
    const size_t end = separator.empty() ? ByteOffset(text, 1) : text.find(separator);
    if (end == std::string_view::npos || (separator.empty() && end == text.size())) {
      break;
    }
    pieces.push_back(Value::String(std::string(text.substr(0, end))));
    text.remove_prefix(end + separator.size());
  }
  pieces.push_back(Value::String(std::string(text)));
  return MakeList(std::move(pieces));
}

Value Substring(const Call& call) {
  const std::string_view text = call[0].text();
  const auto size = static_cast<int64_t>(CountCodePoints(text));
  const int64_t start = call[1].integer();
  const int64_t end = call.args.size() == 3 ? call[2].integer() : size;
  if (call.args.size() == 3 && start > end) {
    return Value::Error(fmt::format("invalid substring range. start: {}, end: {}", start, end));
  }
  if (start < 0 || start > size || end < 0 || end > size) {
    return OutOfRange(start < 0 || start > size ? start : end);
  }
  const size_t first = ByteOffset(text, static_cast<size_t>(start));
  const size_t length = ByteOffset(text.substr(first), static_cast<size_t>(end - start));
  return Value::String(std::string(text.substr(first, length)));
}

bool IsSpace(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

Value TrimText(const Call& call) {
  const std::u32string text = Decode(call[0].text());
  const auto first = std::find_if_not(text.begin(), text.end(), IsSpace);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), IsSpace).base();
  return Value::String(first < last ? Encode({&*first, static_cast<size_t>(last - first)}) : "");
}

Value Join(const Call& call) {
  const List& list = call[0].list();
  const std::string_view separator = call.args.size() == 2 ? call[1].text() : "";
  std::string out;
  for (size_t i = 0; i < list.size(); ++i) {
    const Value item = list.at(i);
    if (!item.Is(Kind::kString)) {
      return Value::Error(fmt::format("join: invalid input: {}", TextOf(item)));
    }
    if (!CountSteps(1 + (item.text().size() + separator.size()) / 16)) {
      break;
    }
    out.append(i == 0 ? "" : separator).append(item.text());
  }
  return Value::String(std::move(out));
}

Value Reverse(const Call& call) {
  std::u32string text = Decode(call[0].text());
  std::reverse(text.begin(), text.end());
  return Value::String(Encode(text));
}

// Control characters that have a short escape get it; everything else stays.
Value Quote(const Call& call) {
  static constexpr std::string_view kEscapes = "\aa\bb\ff\nn\rr\tt\vv\\\\\"\"";
  std::string out = "\"";
  for (const char c : call[0].text()) {
    size_t escape = 0;
    while (escape < kEscapes.size() && kEscapes[escape] != c) {
      escape += 2;
    }
    out += escape < kEscapes.size() ? std::string{'\\', kEscapes[escape + 1]} : std::string{c};
  }
  return Value::String(out + '"');
}

constexpr auto kMember = Style::kMember;
constexpr auto kText = Kind::kString;
const Overload kFunctions[] = {
    {"charAt", kMember, {kText, Kind::kInt}, CharAt},
    {"indexOf", kMember, {kText, kText}, IndexOf, CostRule::kWalk},
    {"indexOf", kMember, {kText, kText, Kind::kInt}, IndexOf, CostRule::kWalk},
    {"lastIndexOf", kMember, {kText, kText}, LastIndexOf, CostRule::kWalk},
    {"lastIndexOf", kMember, {kText, kText, Kind::kInt}, LastIndexOf, CostRule::kWalk},
    {"lowerAscii", kMember, {kText}, LowerAscii, CostRule::kText},
    {"upperAscii", kMember, {kText}, UpperAscii, CostRule::kText},
    {"replace", kMember, {kText, kText, kText}, Replace, CostRule::kTextTwice},
    {"replace", kMember, {kText, kText, kText, Kind::kInt}, Replace, CostRule::kTextTwice},
    {"split", kMember, {kText, kText}, Split, CostRule::kTextTwice},
    {"split", kMember, {kText, kText, Kind::kInt}, Split, CostRule::kTextTwice},
    {"substring", kMember, {kText, Kind::kInt}, Substring, CostRule::kText},
    {"substring", kMember, {kText, Kind::kInt, Kind::kInt}, Substring, CostRule::kText},
    {"trim", kMember, {kText}, TrimText, CostRule::kText},
    {"join", kMember, {Kind::kList}, Join, CostRule::kJoin},
    {"join", kMember, {Kind::kList, kText}, Join, CostRule::kJoin},
    {"reverse", kMember, {kText}, Reverse},
    {"strings.quote", Style::kGlobal, {kText}, Quote, CostRule::kText},
};

}  // namespace

Overloads StringFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal
