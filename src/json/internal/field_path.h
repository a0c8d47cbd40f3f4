#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hearth::json::internal {

// Reads a path as FieldSet has it, "spec.containers[].image" or "metadata.annotations['a.b/c']",
// step by step and without allocating. Borrows the text.
class FieldPathReader {
 public:
  explicit FieldPathReader(std::string_view path) : path_(path) {}

  // Moves to the next step. False at the end, and when the path is malformed.
  bool Next();
  bool is_element() const { return is_element_; }  // "[]"
  std::string_view name() const { return name_; }  // of a member otherwise

  bool malformed() const { return !problem_.empty(); }
  std::string_view problem() const { return problem_; }
  size_t position() const { return at_; }

 private:
  bool Fail(std::string_view problem);
  bool NextPlain();
  bool NextQuoted();

  std::string_view path_;
  size_t at_ = 0;
  bool is_element_ = false;
  std::string_view name_;
  std::string_view problem_;
};

// Appends a member step to a path, quoted when the name needs it.
void AppendMemberStep(std::string& path, std::string_view name);

}  // namespace hearth::json::internal
