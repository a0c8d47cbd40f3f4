#include <algorithm>
#include <string>

#include "json/internal/member_table.h"
#include "json/internal/same_value.h"
#include "json/patch.h"
#include "json/pointer.h"

namespace hearth::json {
namespace {

using internal::SameValue;

// Collects operations while walking both trees; `path_` is where we are.
class Differ {
 public:
  void Compare(const Value& from, const Value& to) {
    if (from.IsObject() && to.IsObject()) {
      CompareObjects(from, to);
    } else if (from.IsArray() && to.IsArray()) {
      CompareArrays(from.items(), to.items());
    } else if (!SameValue(from, to)) {
      Add("replace", &to);
    }
  }
  Value Take() { return Value::FromItems(std::move(operations_)); }

 private:
  void CompareObjects(const Value& from, const Value& to) {
    const auto before = internal::IndexMembers(from);
    const auto after = internal::IndexMembers(to);
    for (const auto& [name, value] : from.members()) {
      if (!after.contains(name)) {
        AddBelow(name, "remove", nullptr);
      }
    }
    for (const auto& [name, value] : to.members()) {
      if (const auto old = before.find(name); old == before.end()) {
        AddBelow(name, "add", &value);
      } else {
        CompareBelow(name, *old->second, value);
      }
    }
  }

  void CompareArrays(const Value::Items& from, const Value::Items& to) {
    const size_t shared = std::min(from.size(), to.size());
    size_t head = 0;
    while (head < shared && SameValue(from[head], to[head])) {
      ++head;
    }
    size_t tail = 0;
    while (tail < shared - head &&
           SameValue(from[from.size() - 1 - tail], to[to.size() - 1 - tail])) {
      ++tail;
    }
    for (size_t i = head; i < shared - tail; ++i) {
      CompareBelow(std::to_string(i), from[i], to[i]);
    }
    // From behind, so that an index means the same element before and after.
    for (size_t i = from.size() - tail; i > shared - tail; --i) {
      AddBelow(std::to_string(i - 1), "remove", nullptr);
    }
    for (size_t i = shared - tail; i < to.size() - tail; ++i) {
      AddBelow(std::to_string(i), "add", &to[i]);
    }
  }

  void CompareBelow(const std::string& token, const Value& from, const Value& to) {
    path_.push_back(token);
    Compare(from, to);
    path_.pop_back();
  }

  void AddBelow(const std::string& token, const char* operation, const Value* value) {
    path_.push_back(token);
    Add(operation, value);
    path_.pop_back();
  }

  void Add(const char* operation, const Value* value) {
    Value entry = Value::Object({{"op", operation}, {"path", Pointer(path_).ToString()}});
    if (value != nullptr) {
      entry.members().emplace_back("value", *value);
    }
    operations_.push_back(std::move(entry));
  }

  std::vector<std::string> path_;
  Value::Items operations_;
};

}  // namespace

Value DiffJsonPatch(const Value& from, const Value& to) {
  Differ differ;
  differ.Compare(from, to);
  return differ.Take();
}

}  // namespace hearth::json
