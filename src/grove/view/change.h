#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grove/view/composition.h"
#include "json/value.h"

// What a change of a set would make and take away. Pure.
namespace hearth::grove {

struct Change {
  // Of one kind of objects.
  struct Kind {
    std::string_view kind;  // "PodClique"
    size_t before = 0;
    size_t after = 0;
    std::vector<std::string> created;
    std::vector<std::string> deleted;
  };
  // A claim before or after, or both; consumers are those of either.
  struct Claim {
    ComposedClaim claim;
    std::optional<int64_t> before;  // consumers; nothing: it is not there
    std::optional<int64_t> after;
  };
  struct Size {
    std::string name;
    int32_t before = 0;
    int32_t after = 0;
  };

  std::string name_space;
  std::string set;
  bool fresh = false;       // nothing is there before
  std::vector<Size> sizes;  // that were asked for
  std::vector<Kind> kinds;  // all of them, in the order of a set
  std::vector<Claim> claims;
  std::vector<std::string> warnings;
};

// `before` is nothing for a set that is yet to be made. Warns of claims that too many pods would
// use.
Change ChangeOf(const SetFacts& set, const std::optional<Composition>& before,
                const Composition& after);

// For people: how many, then a line for each object, + or -, then the warnings.
std::string ToText(const Change& change);
// For machines; the shape is in docs/tree-and-plan.md.
json::Value ToJson(const Change& change);

}  // namespace hearth::grove
