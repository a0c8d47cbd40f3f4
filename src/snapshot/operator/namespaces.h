#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::snapshot {

// Whose snapshots an operator looks after: those of one namespace, or all but some.
struct Namespaces {
  std::string restricted_to;  // empty: the whole cluster
  // Left to other operators; a star at either end stands for anything. Without effect when
  // restricted.
  std::vector<std::string> excluded;

  bool Include(std::string_view name_space) const;
};

}  // namespace hearth::snapshot
