#include "api/conversion/internal/volume_mounts_map.h"

#include <optional>

namespace hearth::api::conversion::internal {
namespace {

constexpr std::string_view kFlag = "useAsCompilationCache";

std::optional<size_t> CachePlace(const Tree& mounts, Arena& arena) {
  for (size_t i = 0; mounts.IsArray() && i < mounts.size(); ++i) {
    const Tree mount = mounts.at(i);
    if (arena.Find(mount, kFlag).IsTrue() && arena.Find(mount, "name").IsString()) {
      return i;
    }
  }
  return std::nullopt;
}

// With the flag as defaulting leaves it.
Tree ServiceMount(const Tree& name, const Tree& path, bool cache, Arena& arena) {
  ObjectBuilder mount(arena, 3);
  mount.Add("name", name);
  mount.SetIfAny("mountPoint", path);
  mount.Add(kFlag, Flag(cache));
  return mount.Build();
}

}  // namespace

Tree CacheToBeta(const Tree& volume_mounts, Arena& arena) {
  const auto place = CachePlace(volume_mounts, arena);
  if (!place.has_value()) {
    return Tree();
  }
  ObjectBuilder cache(arena, 2);
  cache.Add("pvcName", arena.Find(volume_mounts.at(*place), "name"));
  cache.SetIfAny("mountPath", arena.Find(volume_mounts.at(*place), "mountPoint"));
  return cache.Build();
}

Tree CacheToAlpha(const Tree& cache, Arena& arena) {
  const Tree claim = arena.Find(cache, "pvcName");
  return claim.IsString() ? ServiceMount(claim, arena.Find(cache, "mountPath"), true, arena)
                          : Tree();
}

Tree MountsToBeta(const Tree& volume_mounts, Arena& arena) {
  ListBuilder mounts(arena);
  const auto cache = CachePlace(volume_mounts, arena);
  for (size_t i = 0; volume_mounts.IsArray() && i < volume_mounts.size(); ++i) {
    const Tree name = arena.Find(volume_mounts.at(i), "name");
    const Tree path = arena.Find(volume_mounts.at(i), "mountPoint");
    if (i != cache && name.IsString() && path.IsString()) {
      ObjectBuilder mount(arena, 2);
      mount.Add("name", name);
      mount.Add("mountPath", path);
      mounts.Append(mount.Build());
    }
  }
  return mounts.Build();
}

Tree MountsToAlpha(const Tree& volume_mounts, Arena& arena) {
  if (!volume_mounts.IsArray() || volume_mounts.size() == 0) {
    return Tree();
  }
  ListBuilder mounts(arena);
  for (size_t i = 0; i < volume_mounts.size(); ++i) {
    const Tree mount = volume_mounts.at(i);
    const Tree name = arena.Find(mount, "name");
    const Tree path = arena.Find(mount, "mountPath");
    if (mount.size() != 2 || !name.IsString() || !path.IsString()) {
      return Tree();
    }
    mounts.Append(ServiceMount(name, path, false, arena));
  }
  return mounts.Build();
}

}  // namespace hearth::api::conversion::internal
