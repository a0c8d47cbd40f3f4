#include "api/conversion/internal/volume_mounts_map.h"

#include <optional>

#include "api/conversion/internal/fields.h"

namespace hearth::api::conversion::internal {
namespace {

constexpr std::string_view kFlag = "useAsCompilationCache";

std::optional<size_t> CachePlace(const Tree& mounts) {
  for (size_t i = 0; mounts.IsArray() && i < mounts.size(); ++i) {
    const Tree mount = mounts.at(i);
    if (mount.Find(kFlag).IsTrue() && mount.Find("name").IsString()) {
      return i;
    }
  }
  return std::nullopt;
}

// With the flag as defaulting leaves it.
Tree ServiceMount(const Tree& name, const Tree& path, bool cache) {
  Tree mount = Tree::Object();
  mount.Set("name", name);
  SetIfAny(mount, "mountPoint", path);
  mount.Set(kFlag, Tree::Own(cache));
  return mount;
}

}  // namespace

Tree CacheToBeta(const Tree& volume_mounts) {
  const auto place = CachePlace(volume_mounts);
  if (!place.has_value()) {
    return Tree();
  }
  Tree cache = Tree::Object();
  cache.Set("pvcName", volume_mounts.at(*place).Find("name"));
  SetIfAny(cache, "mountPath", volume_mounts.at(*place).Find("mountPoint"));
  return cache;
}

Tree CacheToAlpha(const Tree& cache) {
  const Tree claim = cache.Find("pvcName");
  return claim.IsString() ? ServiceMount(claim, cache.Find("mountPath"), true) : Tree();
}

Tree MountsToBeta(const Tree& volume_mounts) {
  Tree mounts = Tree::Array();
  const auto cache = CachePlace(volume_mounts);
  for (size_t i = 0; volume_mounts.IsArray() && i < volume_mounts.size(); ++i) {
    const Tree name = volume_mounts.at(i).Find("name");
    const Tree path = volume_mounts.at(i).Find("mountPoint");
    if (i != cache && name.IsString() && path.IsString()) {
      Tree mount = Tree::Object();
      mount.Set("name", name);
      mount.Set("mountPath", path);
      mounts.Append(mount);
    }
  }
  return mounts;
}

Tree MountsToAlpha(const Tree& volume_mounts) {
  if (!volume_mounts.IsArray() || volume_mounts.size() == 0) {
    return Tree();
  }
  Tree mounts = Tree::Array();
  for (size_t i = 0; i < volume_mounts.size(); ++i) {
    const Tree mount = volume_mounts.at(i);
    const Tree name = mount.Find("name");
    const Tree path = mount.Find("mountPath");
    if (mount.size() != 2 || !name.IsString() || !path.IsString()) {
      return Tree();
    }
    mounts.Append(ServiceMount(name, path, false));
  }
  return mounts;
}

}  // namespace hearth::api::conversion::internal
