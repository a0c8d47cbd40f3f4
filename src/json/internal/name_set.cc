#include "json/internal/name_set.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace hearth::json::internal {
namespace {

// Up to here a name is compared with all before it; above, all are sorted at the end.
constexpr size_t kFew = 32;

template <typename T>
uint64_t Load(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

// First and last bytes and the length: cheap, and enough to tell nearly all member names apart.
uint64_t Fingerprint(std::string_view name) {
  const char* p = name.data();
  const size_t size = name.size();
  uint64_t first = 0;
  uint64_t last = 0;
  if (size >= 8) {
    first = Load<uint64_t>(p);
    last = Load<uint64_t>(p + size - 8);
  } else if (size >= 4) {
    first = Load<uint32_t>(p);
    last = Load<uint32_t>(p + size - 4);
  } else if (size > 0) {
    first = static_cast<unsigned char>(p[0]);
    last = static_cast<unsigned char>(p[size / 2]) |
           (static_cast<uint64_t>(static_cast<unsigned char>(p[size - 1])) << 8);
  }
  return (first + size) * 0x9E3779B97F4A7C15U ^ (last * 0xC2B2AE3D27D4EB4FU);
}

}  // namespace

bool NameSet::Scope::Contains(uint64_t print, std::string_view name) const {
  return std::any_of(
      set_.entries_.begin() + static_cast<std::ptrdiff_t>(base_), set_.entries_.end(),
      [&](const Entry& entry) { return entry.print == print && entry.name == name; });
}

bool NameSet::Scope::Add(std::string_view name) {
  const uint64_t print = Fingerprint(name);
  const uint64_t bit = uint64_t{1} << (print >> 58);
  if ((seen_ & bit) != 0 && size() < kFew && Contains(print, name)) {
    return false;
  }
  seen_ |= bit;
  set_.entries_.push_back({print, name});
  return true;
}

std::optional<std::string_view> NameSet::Scope::Duplicate() {
  if (size() <= kFew) {
    return std::nullopt;
  }
  const auto begin = set_.entries_.begin() + static_cast<std::ptrdiff_t>(base_);
  // By name too, so that prints chosen to be equal cost no more than a sort; by place, so that the
  // later one is told.
  std::sort(begin, set_.entries_.end(), [](const Entry& a, const Entry& b) {
    if (a.print != b.print) {
      return a.print < b.print;
    }
    const int order = a.name.compare(b.name);
    return order != 0 ? order < 0 : std::less<>()(a.name.data(), b.name.data());
  });
  const auto twice = std::adjacent_find(
      begin, set_.entries_.end(),
      [](const Entry& a, const Entry& b) { return a.print == b.print && a.name == b.name; });
  return twice == set_.entries_.end() ? std::nullopt : std::optional((twice + 1)->name);
}

}  // namespace hearth::json::internal
