#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "json/blob.h"
#include "json/kind.h"
#include "json/view.h"

namespace hearth::json {

// A JSON tree to build and change: what patches, YAML and desired objects are made of. Lives for
// one piece of work and is then written out; it is never kept in a cache. Members stay in the order
// they were added. Numbers keep the text they came with.
class Value {
 public:
  using Member = std::pair<std::string, Value>;
  using Members = std::vector<Member>;
  using Items = std::vector<Value>;
  struct Number {
    std::string token;
  };

  Value() = default;              // null
  Value(std::nullptr_t) {}        // NOLINT(google-explicit-constructor)
  Value(bool value);              // NOLINT(google-explicit-constructor)
  Value(int value);               // NOLINT(google-explicit-constructor)
  Value(int64_t value);           // NOLINT(google-explicit-constructor)
  Value(uint64_t value);          // NOLINT(google-explicit-constructor)
  Value(double value);            // NOLINT(google-explicit-constructor)
  Value(const char* value);       // NOLINT(google-explicit-constructor)
  Value(std::string value);       // NOLINT(google-explicit-constructor)
  Value(std::string_view value);  // NOLINT(google-explicit-constructor)
  Value(Number number);           // NOLINT(google-explicit-constructor)
  explicit Value(View view);      // a copy; absent gives null
  static Value Object(std::initializer_list<Member> members = {});
  static Value Array(std::initializer_list<Value> items = {});
  static Value FromMembers(Members members);
  static Value FromItems(Items items);

  Kind kind() const;
  bool IsNull() const { return kind() == Kind::kNull; }
  bool IsObject() const { return kind() == Kind::kObject; }
  bool IsArray() const { return kind() == Kind::kArray; }
  bool IsString() const { return kind() == Kind::kString; }

  // Null unless it is an object that has the member.
  const Value* Find(std::string_view name) const;
  Value* Find(std::string_view name);
  // Member, made (as null) when missing; a null becomes an object first. CHECKs that it is an
  // object or null.
  Value& operator[](std::string_view name);
  // Walks objects by dotted plain names, "spec.template.metadata"; null when something is missing
  // on the way.
  const Value* FindPath(std::string_view dotted) const;
  Value& MakePath(std::string_view dotted);
  void Set(std::string_view name, Value value);
  bool Erase(std::string_view name);
  void Append(Value item);  // a null becomes an array first

  // CHECK the kind.
  Members& members();
  const Members& members() const;
  Items& items();
  const Items& items() const;
  const std::string& string() const;
  const std::string& number() const;  // the token
  bool boolean() const;
  // Nothing unless it is an integer that fits.
  std::optional<int64_t> Int() const;
  std::string StringOr(std::string_view other) const;

  std::string Write() const;           // compact, members in their order
  std::string WriteCanonical() const;  // compact, members sorted by name bytes
  std::string WritePretty() const;     // two spaces, final newline
  Blob ToBlob() const { return Blob::Trusted(Write()); }

  // The same tree: same kinds, strings and number tokens, members in any order.
  friend bool operator==(const Value& a, const Value& b);

 private:
  std::variant<std::nullptr_t, bool, Number, std::string, Items, Members> data_;
};

}  // namespace hearth::json
