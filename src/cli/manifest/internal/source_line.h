#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/yaml_positions.h"

namespace hearth::manifest::internal {

// The lines of a text, found once.
class SourceLines {
 public:
  explicit SourceLines(std::string_view text);

  // The line with a mark below the column:
  //    12 |     - nmae: worker
  //       |       ^
  // Long lines are cut around the mark. Empty when there is no such line.
  std::string Show(json::TextPosition at) const;

 private:
  std::string_view Line(int number) const;

  std::string_view text_;
  std::vector<size_t> begins_;
};

}  // namespace hearth::manifest::internal
