#include "schema/internal/go_json.h"

#include <algorithm>
#include <vector>

#include "schema/internal/go_text.h"
#include "schema/internal/number.h"

namespace hearth::schema::internal {
namespace {

using json::Kind;
using json::Value;

void AppendString(std::string& out, const std::string& text) {
  for (const char c : Value(text).Write()) {
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
        break;
    }
  }
}

std::vector<const Value::Member*> Sorted(const Value::Members& members) {
  std::vector<const Value::Member*> sorted;
  for (const Value::Member& member : members) {
    sorted.push_back(&member);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  return sorted;
}

void AppendMembers(std::string& out, const Value::Members& members) {
  const auto sorted = Sorted(members);
  out += '{';
  for (const Value::Member* member : sorted) {
    out += member == sorted.front() ? "" : ",";
    AppendString(out, member->first);
    out += ':';
    AppendGoJson(out, member->second);
  }
  out += '}';
}

void AppendItems(std::string& out, const Value::Items& items) {
  out += '[';
  for (size_t i = 0; i < items.size(); ++i) {
    out += i == 0 ? "" : ",";
    AppendGoJson(out, items[i]);
  }
  out += ']';
}

}  // namespace

void AppendGoJson(std::string& out, const Value& value) {
  switch (value.kind()) {
    case Kind::kObject:
      AppendMembers(out, value.members());
      break;
    case Kind::kArray:
      AppendItems(out, value.items());
      break;
    case Kind::kNumber:
      out += JsonText(ReadNumber(value.number()));
      break;
    case Kind::kString:
      AppendString(out, value.string());
      break;
    default:
      out += value.Write();
      break;
  }
}

std::string GoPrint(const Value& value) {
  std::string out;
  switch (value.kind()) {
    case Kind::kObject:
      for (const Value::Member* member : Sorted(value.members())) {
        out += (out.empty() ? "" : " ") + member->first + ":" + GoPrint(member->second);
      }
      return "map[" + out + "]";
    case Kind::kArray:
      for (const Value& item : value.items()) {
        out += (&item == &value.items().front() ? "" : " ") + GoPrint(item);
      }
      return "[" + out + "]";
    case Kind::kString:
      return value.string();
    case Kind::kNumber:
      return GoText(ReadNumber(value.number()));
    case Kind::kBool:
      return value.boolean() ? "true" : "false";
    default:
      return "<nil>";
  }
}

std::string GoJson(const Value& value) {
  std::string out;
  AppendGoJson(out, value);
  return out;
}

}  // namespace hearth::schema::internal
