#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "api/conversion/convert.h"
#include "api/conversion/internal/pod_map.h"

namespace hearth::api::conversion {
namespace {

using json::Value;

// Names of members, "[2]" for an item and "[a.b/c]" for a key, as Kubernetes writes them.
using Path = std::vector<std::string>;

std::string Bracketed(std::string_view step) { return "[" + std::string(step) + "]"; }

bool IsBracketed(std::string_view step) { return step.size() >= 2 && step.front() == '['; }

std::string Inner(const std::string& step) {
  return IsBracketed(step) ? step.substr(1, step.size() - 2) : step;
}

// Splits "spec.labels[a.b/c]" and "spec.list[2].name".
Path Parsed(std::string_view text) {
  Path path;
  while (!text.empty()) {
    const bool bracket = text.front() == '[';
    const size_t end = std::min(bracket ? text.find(']') : text.find_first_of(".["), text.size());
    const std::string step(text.substr(bracket ? 1 : 0, end - (bracket ? 1 : 0)));
    path.push_back(bracket ? Bracketed(step) : step);
    text.remove_prefix(std::min(end + (bracket ? 1 : 0), text.size()));
    text.remove_prefix(!text.empty() && text.front() == '.' ? 1 : 0);
  }
  return path;
}

std::string Written(const Path& path) {
  std::string text;
  for (const std::string& step : path) {
    text += text.empty() || IsBracketed(step) ? step : "." + step;
  }
  return text;
}

std::optional<size_t> Index(const std::string& step) {
  const std::string inner = Inner(step);
  size_t index = 0;
  const auto [end, error] = std::from_chars(inner.data(), inner.data() + inner.size(), index);
  return IsBracketed(step) && error == std::errc() ? std::optional(index) : std::nullopt;
}

const Value* Child(const Value* parent, const std::string& step) {
  if (parent == nullptr || !parent->IsArray()) {
    return parent == nullptr ? nullptr : parent->Find(Inner(step));
  }
  const auto index = Index(step);
  return index.has_value() && *index < parent->items().size() ? &parent->items()[*index] : nullptr;
}

const Value* At(const Value* root, const Path& path) {
  for (const std::string& step : path) {
    root = Child(root, step);
  }
  return root;
}

// As far as the path leads. A member at its end that both versions name alike may be missing: that
// is often what the user is told.
Path Existing(const Value& root, Path path, bool same_name = false) {
  if (same_name && !path.empty() && !IsBracketed(path.back()) &&
      At(&root, Path(path.begin(), path.end() - 1)) != nullptr) {
    return path;
  }
  while (!path.empty() && At(&root, path) == nullptr) {
    path.pop_back();
  }
  return path;
}

std::string TextOf(const Value* object, std::string_view member) {
  const Value* found = object == nullptr ? nullptr : object->Find(member);
  return found == nullptr ? std::string() : found->StringOr("");
}

Path Joined(Path path, const Path& rest, size_t from = 0) {
  path.insert(path.end(), rest.begin() + static_cast<std::ptrdiff_t>(std::min(from, rest.size())),
              rest.end());
  return path;
}

// Where the item of a list of the service is that has this text under `key`.
std::optional<Path> ItemWith(const Value* service, Path list, std::string_view key,
                             const std::string& text) {
  const Value* items = At(service, list);
  for (size_t i = 0; items != nullptr && items->IsArray() && i < items->items().size(); ++i) {
    if (TextOf(&items->items()[i], key) == text) {
      list.push_back(Bracketed(std::to_string(i)));
      return list;
    }
  }
  return std::nullopt;
}

// Finds places of a component in the service it was converted from.
class Finder {
 public:
  Finder(const Value* service, const Value* component) : service_(service), component_(component) {}

  // Whether the rest of the path, after an `experimental`, is the same in both versions.
  static bool SameNames(const Path& path) {
    static constexpr std::string_view kOthers[] = {"podTemplate", "type", "name",
                                                   "sharedMemorySize", "compilationCache"};
    return path.size() > (!path.empty() && path[0] == "experimental" ? 1 : 0) &&
           std::find(std::begin(kOthers), std::end(kOthers), path[0]) == std::end(kOthers);
  }

  // The places it might be, best first.
  std::vector<Path> Places(const Path& path) const {
    const std::string first = path.empty() ? std::string() : path[0];
    if (first == "podTemplate") {
      return InPod(path);
    }
    if (first == "experimental") {
      return {Joined({}, path, 1)};
    }
    if (first == "type") {
      return {{"subComponentType"}, {"componentType"}};
    }
    if (first == "name") {
      return {{"serviceName"}};
    }
    if (first == "sharedMemorySize") {
      return {{"sharedMemory", "size"}};
    }
    if (first == "compilationCache") {
      const Value* cache = component_ == nullptr ? nullptr : component_->Find(first);
      return {
          ItemWith(service_, {"volumeMounts"}, "name", TextOf(cache, "pvcName")).value_or(Path())};
    }
    return {path};
  }

 private:
  std::vector<Path> InPod(const Path& path) const {
    if (path.size() < 2) {
      return {{"extraPodSpec"}};
    }
    if (path[1] == "metadata") {
      return {Joined({"extraPodMetadata"}, path, 2)};
    }
    if (path.size() > 3 && path[2] == "containers") {
      return InContainer(path);
    }
    return {Joined({"extraPodSpec"}, path, 2)};
  }

  std::vector<Path> InContainer(const Path& path) const {
    const Value* container = At(component_, Path(path.begin(), path.begin() + 4));
    const std::string name = TextOf(container, "name");
    const Path rest = Joined({}, path, 4);
    if (name == internal::kMainContainer) {
      return InMain(container, rest);
    }
    const auto place = ItemWith(service_, {"extraPodSpec", "containers"}, "name", name);
    std::vector<Path> places = {Joined(place.value_or(Path{"extraPodSpec", "containers"}), rest)};
    if (name == internal::kFrontendSidecar) {
      places.insert(places.begin(), Joined({"frontendSidecar"}, rest));
    }
    return places;
  }

  std::vector<Path> InMain(const Value* main, const Path& rest) const {
    const std::string field = rest.empty() ? std::string() : rest[0];
    const Path own = Joined({"extraPodSpec", "mainContainer"}, rest);
    if (field == "env") {
      return InEither(main, rest, {"envs"}, "name", "name");
    }
    if (field == "volumeMounts") {
      return InEither(main, rest, {"volumeMounts"}, "mountPath", "mountPoint");
    }
    if (field == "envFrom") {
      return {own, {"envFromSecret"}};
    }
    if (field == "resources") {
      return {own, Resource(rest)};
    }
    return {own, rest};
  }

  static Path Resource(Path path) {
    const std::string resource = path.size() > 2 ? Inner(path[2]) : std::string();
    if (resource == "nvidia.com/gpu") {
      path[2] = "gpu";
    } else if (resource == "cpu" || resource == "memory") {
      path[2] = resource;
    } else if (path.size() > 2) {
      path.insert(path.begin() + 2, "custom");
    }
    return path;
  }

  // An item that is in mainContainer, or in the list of the service beside it.
  std::vector<Path> InEither(const Value* main, const Path& rest, const Path& beside,
                             std::string_view key, std::string_view key_beside) const {
    const Path list = {"extraPodSpec", "mainContainer", rest[0]};
    if (rest.size() < 2) {
      return {list, beside};
    }
    const std::string text = TextOf(At(main, {rest[0], rest[1]}), key);
    std::vector<Path> places;
    for (const auto& place :
         {ItemWith(service_, list, key, text), ItemWith(service_, beside, key_beside, text)}) {
      if (place.has_value()) {
        places.push_back(Joined(*place, rest, 2));
      }
    }
    return places;
  }

  const Value* service_;
  const Value* component_;
};

// What is renamed outside of components.
Path RenamedOutside(Path path) {
  struct Name {
    Path beta;
    const char* alpha;
  };
  static const Name kNames[] = {
      {{"spec", "env"}, "envs"},
      {{"spec", "components"}, "services"},
      {{"spec", "topologyConstraint", "clusterTopologyName"}, "topologyProfile"},
      {{"status", "components"}, "services"},
      {{"status", "component"}, "service"},
      {{"status", "rollingUpdate", "updatedComponents"}, "updatedServices"}};
  for (const auto& [beta, alpha] : kNames) {
    if (path.size() >= beta.size() && std::equal(beta.begin(), beta.end(), path.begin())) {
      path[beta.size() - 1] = alpha;
      break;
    }
  }
  return path;
}

// Where the service is, and how much of the path says which component.
struct Place {
  Path service;
  size_t used = 0;
};

std::optional<Place> ComponentOf(const Value& beta, const Path& path) {
  if (path.empty() || path[0] != "spec") {
    return std::nullopt;
  }
  if (TextOf(&beta, "kind") == "DynamoComponentDeployment") {
    return Place{.service = {"spec"}, .used = 1};
  }
  if (path.size() < 3 || path[1] != "components") {
    return std::nullopt;
  }
  const Value* component = At(&beta, {path[0], path[1], path[2]});
  if (component == nullptr) {
    return std::nullopt;
  }
  return Place{.service = {"spec", "services", Bracketed(TextOf(component, "name"))}, .used = 3};
}

V1alpha1Place PlaceOf(const Value& root, const Path& found, const Path& wanted) {
  return {Written(found), found == wanted ? At(&root, found) : nullptr};
}

V1alpha1Place Nearest(const Value& root, const Path& base, const std::vector<Path>& places,
                      bool same_names) {
  Path nearest = Existing(root, base);
  Path wanted;
  for (const Path& place : places) {
    Path full = Joined(base, place);
    Path found = Existing(root, full, same_names);
    if (found.size() > nearest.size()) {
      nearest = std::move(found);
      wanted = std::move(full);
    }
  }
  return PlaceOf(root, nearest, wanted);
}

}  // namespace

V1alpha1Place FindInV1alpha1(const Value& v1alpha1, const Value& v1beta1, std::string_view path) {
  const Path parsed = Parsed(path);
  if (!parsed.empty() && parsed[0] == "metadata") {
    return {std::string(path), At(&v1alpha1, parsed)};
  }
  const auto place = ComponentOf(v1beta1, parsed);
  if (!place.has_value()) {
    const Path renamed = RenamedOutside(parsed);
    return PlaceOf(v1alpha1, Existing(v1alpha1, renamed, true), renamed);
  }
  const Path within = Joined({}, parsed, place->used);
  const Value* component =
      At(&v1beta1, Path(parsed.begin(), parsed.begin() + static_cast<std::ptrdiff_t>(place->used)));
  const Finder finder(At(&v1alpha1, place->service), component);
  return Nearest(v1alpha1, place->service, finder.Places(within), Finder::SameNames(within));
}

}  // namespace hearth::api::conversion
