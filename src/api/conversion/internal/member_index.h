#pragma once

#include <optional>
#include <string_view>

#include "api/conversion/internal/arena.h"
#include "base/seeded_hash.h"

namespace hearth::api::conversion::internal {

// Finds many members of one object, however large it is. The object must not change meanwhile.
class MemberIndex {
 public:
  explicit MemberIndex(const Tree& object) : object_(object) {
    if (object.size() > kFew) {
      places_.emplace(object.size());
      for (size_t i = 0; i < object.size(); ++i) {
        places_->emplace(object.name(i), i);
      }
    }
  }

  // Spends what it takes, for those that foreign bytes ask for any number of times.
  MemberIndex(const Tree& object, Arena& arena) : MemberIndex(object) {
    arena.SpendLooks(object.size());
    for (size_t i = 0; places_.has_value() && i < object.size(); ++i) {
      arena.SpendIndexing(object.name(i));
    }
  }

  // Looks at `near` first: objects that came from one another keep their order.
  Tree Find(std::string_view name, size_t near) const {
    if (near < object_.size() && object_.name(near) == name) {
      return object_.at(near);
    }
    return Find(name);
  }
  Tree Find(std::string_view name) const {
    if (!places_.has_value()) {
      return object_.Find(name);
    }
    const auto place = places_->find(name);
    return place == places_->end() ? Tree() : object_.at(place->second);
  }

 private:
  static constexpr size_t kFew = 32;

  Tree object_;
  std::optional<SeededMap<std::string_view, size_t>> places_;  // not when there are few
};

}  // namespace hearth::api::conversion::internal
