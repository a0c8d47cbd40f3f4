#include <algorithm>
#include <charconv>
#include <optional>

#include "base/check.h"
#include "json/yaml_positions.h"

namespace hearth::json {
namespace {

// Which child a path goes on to, and what is left of it then.
struct Branch {
  size_t child;
  std::string_view rest;
};

bool EndsStep(std::string_view rest) {
  return rest.empty() || rest.front() == '.' || rest.front() == '[';
}

// The rest behind `name`, which stands plain or in brackets at the front.
std::optional<std::string_view> Behind(std::string_view path, std::string_view name) {
  if (path.starts_with('[')) {
    path.remove_prefix(1);
    if (!path.starts_with(name) || path.substr(name.size(), 1) != "]") {
      return std::nullopt;
    }
    path.remove_prefix(name.size() + 1);
  } else {
    path.remove_prefix(path.starts_with('.') ? 1 : 0);
    if (!path.starts_with(name)) {
      return std::nullopt;
    }
    path.remove_prefix(name.size());
  }
  return EndsStep(path) ? std::optional(path) : std::nullopt;
}

std::vector<Branch> ItemBranch(const Value::Items& items, std::string_view path) {
  size_t index = 0;
  if (!path.starts_with('[')) {
    return {};
  }
  const char* const end = path.data() + path.size();
  const auto [behind, error] = std::from_chars(path.data() + 1, end, index);
  if (error != std::errc() || behind == end || *behind != ']' || index >= items.size()) {
    return {};
  }
  return {{index, path.substr(static_cast<size_t>(behind + 1 - path.data()))}};
}

// Long names first: they leave least.
std::vector<Branch> MemberBranches(const Value::Members& members, std::string_view path) {
  std::vector<Branch> branches;
  for (size_t i = 0; i < members.size(); ++i) {
    if (const auto rest = Behind(path, members[i].first)) {
      branches.push_back({i, *rest});
    }
  }
  std::sort(branches.begin(), branches.end(),
            [](const Branch& a, const Branch& b) { return a.rest.size() < b.rest.size(); });
  return branches;
}

std::vector<Branch> BranchesOf(const Value& value, std::string_view path) {
  if (value.IsArray()) {
    return ItemBranch(value.items(), path);
  }
  return value.IsObject() ? MemberBranches(value.members(), path) : std::vector<Branch>();
}

const Value& Child(const Value& value, size_t index) {
  return value.IsArray() ? value.items()[index] : value.members()[index].second;
}

class Resolver {
 public:
  // True when nothing is left, which ends the search.
  bool Follow(const Value& value, std::string_view path) {
    if (path.size() < best_.rest.size()) {
      best_ = {steps_, path};
    }
    if (path.empty()) {
      return true;
    }
    for (const Branch& branch : BranchesOf(value, path)) {
      steps_.push_back(branch.child);
      if (Follow(Child(value, branch.child), branch.rest)) {
        return true;
      }
      steps_.pop_back();
    }
    return false;
  }

  ResolvedPath Resolve(const Value& root, std::string_view path) {
    best_.rest = path;
    Follow(root, path);
    if (best_.rest.starts_with('.')) {
      best_.rest.remove_prefix(1);
    }
    return std::move(best_);
  }

 private:
  std::vector<size_t> steps_;
  ResolvedPath best_;
};

}  // namespace

ResolvedPath ResolvePath(const Value& root, std::string_view path) {
  return Resolver().Resolve(root, path == "<nil>" ? "" : path);
}

const YamlPlace& PlaceAt(const YamlPlace& root, const std::vector<size_t>& steps) {
  const YamlPlace* place = &root;
  for (const size_t step : steps) {
    CHECK(step < place->below.size()) << "a path into another document";
    place = &place->below[step];
  }
  return *place;
}

}  // namespace hearth::json
