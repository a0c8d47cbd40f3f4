#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearth::admission::grove {

// The names of objects that differ only in the indices of replicas: "p-<index>-gpu" is p-0-gpu,
// p-1-gpu and so on. Parts are joined by dashes.
class NamePattern {
 public:
  // Of a set, a group and a clique.
  static constexpr size_t kMaxIndices = 3;

  explicit NamePattern(std::string_view first) : text_(first) {}
  NamePattern& Add(std::string_view part);
  NamePattern& AddIndex();  // CHECKs that there are not too many

  size_t indices() const { return indices_; }
  // The name with these indices, of which the pattern takes as many as it has.
  std::string At(const std::array<int64_t, kMaxIndices>& indices) const;
  std::string ToString() const;  // "p-<index>-sga-<index>-gpu"

  // The parts, with kIndex for each index.
  const std::string& text() const { return text_; }
  static constexpr std::string_view kIndex = "*";  // is in no DNS name

 private:
  template <typename Index>
  std::string Fill(const Index& index) const;

  std::string text_;
  std::array<size_t, kMaxIndices> index_at_ = {};
  size_t indices_ = 0;
};

// Pairs of patterns that give the same name for some indices, the earlier one first; each pattern
// is second in at most one pair. Expects DNS names. Nearly linear. Patterns that are the same up to
// numbers in many different places cost more; past some bound, far beyond what can be named within
// the limits of pod names, the rest is not looked at.
std::vector<std::pair<size_t, size_t>> FindOverlaps(
    const std::vector<const NamePattern*>& patterns);

}  // namespace hearth::admission::grove
