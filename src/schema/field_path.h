#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hearth::schema {

// Where in an object we are: frames on the stack, each pointing to its parent, so that walking
// costs nothing and text is made only for an error. A path must not outlive its parent or the names
// in it.
//
//   const FieldPath spec = FieldPath::Root().Child("spec");
//   spec.Child("components").Item(0).Child("name")   spec.components[0].name
//   spec.Child("labels").Key("a.b/c")                spec.labels[a.b/c]
class FieldPath {
 public:
  static FieldPath Root() { return FieldPath(nullptr, Kind::kRoot, {}, 0); }
  // A path that starts at a place of a larger object: "status".
  static FieldPath Base(std::string_view text) { return FieldPath(nullptr, Kind::kRoot, text, 0); }
  FieldPath Child(std::string_view name) const { return FieldPath(this, Kind::kName, name, 0); }
  FieldPath Item(size_t index) const { return FieldPath(this, Kind::kItem, {}, index); }
  FieldPath Key(std::string_view key) const { return FieldPath(this, Kind::kKey, key, 0); }

  bool IsRoot() const { return kind_ == Kind::kRoot; }

  // As Kubernetes' field.Path writes it: map keys in brackets. The root is "<nil>", as there.
  std::string ToString() const;
  // As the OpenAPI checks write it: map keys like names, spec.labels.a.b/c. The root is empty.
  std::string ToDotted() const;

 private:
  enum class Kind { kRoot, kName, kItem, kKey };
  FieldPath(const FieldPath* parent, Kind kind, std::string_view name, size_t index)
      : parent_(parent), name_(name), index_(index), kind_(kind) {}
  void Append(std::string& text, bool dotted) const;

  const FieldPath* parent_;
  std::string_view name_;
  size_t index_;
  Kind kind_;
};

}  // namespace hearth::schema
