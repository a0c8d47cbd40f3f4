#include "grove/view/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>

#include "base/duration.h"
#include "base/nearest_name.h"
#include "base/strings.h"
#include "grove/model/names.h"

namespace hearth::grove {
namespace {

using api::grove::CliqueTemplate;
using api::grove::ScalingGroupTemplate;

constexpr size_t kMostSuggestions = 10'000;
constexpr size_t kMostNamed = 3;

// What a full name means.
struct Part {
  bool is_set = false;
  int32_t set_replica = 0;
  const ScalingGroupTemplate* group = nullptr;  // of a group, and of a clique in one
  const CliqueTemplate* clique = nullptr;
  int32_t group_replica = 0;
};

// The index in "<prefix>-<index>-<something>".
std::optional<int32_t> IndexWithin(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix) || name.size() <= prefix.size() + 1) {
    return std::nullopt;
  }
  const size_t end = name.find('-', prefix.size() + 1);
  return end == std::string_view::npos ? std::nullopt : IndexAfter(prefix, name.substr(0, end));
}

std::optional<Part> FindMember(const SetFacts& set, int32_t i, std::string_view name) {
  for (const ScalingGroupTemplate& group : set.parts().scaling_groups) {
    const std::string full = GroupName(set.id.name, i, group.name);
    const auto j = IndexWithin(full, name);
    const auto member = j ? NameAfter(full, *j, name) : std::nullopt;
    const auto& names = group.clique_names;
    if (member && std::find(names.begin(), names.end(), *member) != names.end()) {
      return Part{false, i, &group, set.FindClique(*member), *j};
    }
  }
  return std::nullopt;
}

std::optional<Part> FindPart(const SetFacts& set, std::string_view name) {
  if (name == set.id.name) {
    return Part{.is_set = true};
  }
  const auto i = IndexWithin(set.id.name, name);
  const auto own = i ? NameAfter(set.id.name, *i, name) : std::nullopt;
  if (!own) {
    return std::nullopt;
  }
  if (const auto* const group = set.FindGroup(*own)) {
    return Part{false, *i, group, nullptr, 0};
  }
  const auto* const clique = set.FindClique(*own);
  if (clique != nullptr && set.GroupOf(*own) == nullptr) {
    return Part{false, *i, nullptr, clique, 0};
  }
  return FindMember(set, *i, name);
}

class Resolver {
 public:
  Resolver(const SetFacts& set, const Sizes& sizes) : set_(set), sizes_(sizes) {}

  // The part, when it is there at these sizes.
  Result<Part> Resolve(const std::string& name) const {
    const auto part = FindPart(set_, name);
    if (!part) {
      return Unknown(name);
    }
    if (part->is_set) {
      return *part;
    }
    if (part->set_replica >= SetReplicas()) {
      return Beyond(name, part->set_replica, fmt::format("set {}", set_.id.name), SetReplicas());
    }
    if (part->clique != nullptr && part->group != nullptr) {
      const std::string group = GroupName(set_.id.name, part->set_replica, part->group->name);
      const int32_t replicas = SizeOf(sizes_, group, part->group->replicas.value_or(1));
      if (part->group_replica >= replicas) {
        return Beyond(name, part->group_replica, fmt::format("scaling group {}", group), replicas);
      }
    }
    return *part;
  }

 private:
  int32_t SetReplicas() const { return SizeOf(sizes_, set_.id.name, set_.spec.replicas); }

  static Status Beyond(const std::string& name, int32_t replica, const std::string& of,
                       int32_t replicas) {
    return InvalidError(fmt::format("{} would be of replica {}, and {} has {} {}, counted from 0",
                                    name, replica, of, replicas,
                                    replicas == 1 ? "replica" : "replicas"));
  }

  // Full names of what is called so in the set.
  std::vector<std::string> NamesOf(std::string_view part) const {
    std::vector<std::string> names;
    for (const std::string& name : AllNames()) {
      if (name.ends_with(fmt::format("-{}", part))) {
        names.push_back(name);
      }
    }
    return names;
  }

  Status Unknown(const std::string& name) const {
    if (set_.FindGroup(name) != nullptr || set_.FindClique(name) != nullptr) {
      std::vector<std::string> full = NamesOf(name);
      const bool more = full.size() > kMostNamed;
      full.resize(std::min(full.size(), kMostNamed));
      return InvalidError(fmt::format("{} is scaled replica by replica, by its full name{}{}{}",
                                      name, full.empty() ? "" : ": ", Join(full, ", "),
                                      more ? ", ..." : ""));
    }
    const std::string near = NearestName(name, AllNames());
    return InvalidError(fmt::format("set {} has nothing called {}{}", set_.id.name, name,
                                    near.empty() ? "" : "; did you mean " + near + "?"));
  }

  std::vector<std::string> AllNames() const {
    std::vector<std::string> names = {set_.id.name};
    for (int32_t i = 0; i < SetReplicas() && names.size() < kMostSuggestions; ++i) {
      for (const CliqueTemplate& clique : set_.parts().cliques) {
        if (set_.GroupOf(clique.name) == nullptr) {
          names.push_back(CliqueName(set_.id.name, i, clique.name));
        }
      }
      for (const ScalingGroupTemplate& group : set_.parts().scaling_groups) {
        AddGroupNames(i, group, names);
      }
    }
    return names;
  }

  void AddGroupNames(int32_t i, const ScalingGroupTemplate& group,
                     std::vector<std::string>& names) const {
    const std::string full = GroupName(set_.id.name, i, group.name);
    names.push_back(full);
    const int32_t replicas = SizeOf(sizes_, full, group.replicas.value_or(1));
    for (int32_t j = 0; j < replicas && names.size() < kMostSuggestions; ++j) {
      for (const std::string& clique : group.clique_names) {
        names.push_back(MemberName(full, j, clique));
      }
    }
  }

  const SetFacts& set_;
  const Sizes& sizes_;
};

}  // namespace

Result<Scaling> ParseScaling(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    return InvalidError(fmt::format("'{}' is not of the form NAME=N", text));
  }
  const std::string_view number = text.substr(equals + 1);
  Scaling scaling{.name = std::string(text.substr(0, equals))};
  if (number.starts_with('-')) {
    return InvalidError(fmt::format("{}: there cannot be {} replicas", scaling.name, number));
  }
  const char* const end = number.data() + number.size();
  const auto [last, error] = std::from_chars(number.data(), end, scaling.replicas);
  if (error == std::errc::result_out_of_range) {
    return InvalidError(fmt::format("{}: {} replicas are more than {}", scaling.name, number,
                                    std::numeric_limits<int32_t>::max()));
  }
  if (error != std::errc() || last != end) {
    return InvalidError(fmt::format("{}: '{}' is not a number of replicas", scaling.name, number));
  }
  return scaling;
}

Result<Sizes> Scaled(const SetFacts& set, Sizes sizes, const std::vector<Scaling>& scalings) {
  std::set<std::string_view> names;
  for (const Scaling& scaling : scalings) {
    if (!names.insert(scaling.name).second) {
      return InvalidError(fmt::format("{} is named twice", scaling.name));
    }
    sizes[scaling.name] = scaling.replicas;
  }
  const Resolver resolver(set, sizes);
  for (const Scaling& scaling : scalings) {
    const auto part = resolver.Resolve(scaling.name);
    if (!part.ok()) {
      return part.status();
    }
  }
  return sizes;
}

int32_t CurrentSize(const SetFacts& set, const Sizes& sizes, const std::string& name) {
  const auto part = Resolver(set, sizes).Resolve(name);
  if (!part.ok()) {
    return 0;
  }
  const int32_t own = part->is_set              ? set.spec.replicas
                      : part->clique != nullptr ? part->clique->spec.replicas
                                                : part->group->replicas.value_or(1);
  return SizeOf(sizes, name, own);
}

std::vector<std::string> BelowMinimum(const SetFacts& set, const std::vector<Scaling>& scalings) {
  std::vector<std::string> warnings;
  for (const Scaling& scaling : scalings) {
    const auto part = FindPart(set, scaling.name);
    if (!part || part->is_set) {
      continue;
    }
    const int32_t min = part->clique != nullptr
                            ? part->clique->spec.min_available.value_or(part->clique->spec.replicas)
                            : part->group->min_available.value_or(1);
    if (scaling.replicas < min) {
      warnings.push_back(fmt::format(
          "{}={} is below its minAvailable of {}: it will be MinAvailableBreached, and replica {} "
          "of the set may be taken down after its terminationDelay ({})",
          scaling.name, scaling.replicas, min, part->set_replica,
          FormatDuration(set.termination_delay())));
    }
  }
  return warnings;
}

}  // namespace hearth::grove
