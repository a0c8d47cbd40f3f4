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

void AppendMembers(std::string& out, const Value::Members& members) {
  std::vector<const Value::Member*> sorted;
  for (const Value::Member& member : members) {
    sorted.push_back(&member);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
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

std::string GoJson(const Value& value) {
  std::string out;
  AppendGoJson(out, value);
  return out;
}

}  // namespace hearth::schema::internal
