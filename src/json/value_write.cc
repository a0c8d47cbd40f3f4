// Value to text.
#include <algorithm>
#include <utility>

#include "json/builder.h"
#include "json/value.h"

namespace hearth::json {
namespace {

enum class Order { kAsAdded, kByName };

bool IsSorted(const Value::Members& members) {
  return std::is_sorted(members.begin(), members.end(),
                        [](const auto& a, const auto& b) { return a.first < b.first; });
}

std::vector<const Value::Member*> Sorted(const Value::Members& members) {
  std::vector<const Value::Member*> pointers;
  pointers.reserve(members.size());
  for (const Value::Member& member : members) {
    pointers.push_back(&member);
  }
  std::stable_sort(pointers.begin(), pointers.end(),
                   [](const auto* a, const auto* b) { return a->first < b->first; });
  return pointers;
}

// Writes one tree.
class Writer {
 public:
  Writer(std::string& out, Order order, bool pretty) : out_(out), order_(order), pretty_(pretty) {}

  void Write(const Value& value) {
    switch (value.kind()) {
      case Kind::kAbsent:
      case Kind::kNull:
        out_ += "null";
        return;
      case Kind::kBool:
        out_ += value.boolean() ? "true" : "false";
        return;
      case Kind::kNumber:
        out_ += value.number();
        return;
      case Kind::kString:
        AppendQuoted(out_, value.string());
        return;
      case Kind::kArray:
        WriteItems(value.items());
        return;
      case Kind::kObject:
        WriteMembers(value.members());
        return;
    }
  }

 private:
  void WriteItems(const Value::Items& items) {
    Open('[');
    for (const Value& item : items) {
      Separate(&item != items.data());
      Write(item);
    }
    Close(']', items.empty());
  }

  void WriteMembers(const Value::Members& members) {
    Open('{');
    bool first = true;
    if (order_ == Order::kAsAdded || IsSorted(members)) {
      for (const Value::Member& member : members) {
        WriteMember(member, std::exchange(first, false));
      }
    } else {
      for (const Value::Member* member : Sorted(members)) {
        WriteMember(*member, std::exchange(first, false));
      }
    }
    Close('}', members.empty());
  }

  void WriteMember(const Value::Member& member, bool first) {
    Separate(!first);
    AppendQuoted(out_, member.first);
    out_ += pretty_ ? ": " : ":";
    Write(member.second);
  }

  void Open(char bracket) {
    out_ += bracket;
    ++level_;
  }

  void Close(char bracket, bool empty) {
    --level_;
    if (!empty) {
      NewLine();
    }
    out_ += bracket;
  }

  void Separate(bool comma) {
    if (comma) {
      out_ += ',';
    }
    NewLine();
  }

  void NewLine() {
    if (pretty_) {
      out_ += '\n';
      out_.append(2 * level_, ' ');
    }
  }

  std::string& out_;
  Order order_;
  bool pretty_;
  size_t level_ = 0;
};

}  // namespace

std::string Value::Write() const {
  std::string out;
  Writer(out, Order::kAsAdded, false).Write(*this);
  return out;
}

std::string Value::WriteCanonical() const {
  std::string out;
  Writer(out, Order::kByName, false).Write(*this);
  return out;
}

std::string Value::WritePretty() const {
  std::string out;
  Writer(out, Order::kAsAdded, true).Write(*this);
  out += '\n';
  return out;
}

}  // namespace hearth::json
