#include "admission/grove/name_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace hearth::admission::grove {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// "*" is an index.
NamePattern Pattern(const std::vector<std::string>& parts) {
  NamePattern pattern(parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) {
    parts[i] == "*" ? pattern.AddIndex() : pattern.Add(parts[i]);
  }
  return pattern;
}

std::vector<std::pair<size_t, size_t>> Overlaps(const std::vector<NamePattern>& patterns) {
  std::vector<const NamePattern*> pointers;
  for (const NamePattern& pattern : patterns) {
    pointers.push_back(&pattern);
  }
  return FindOverlaps(pointers);
}

TEST(NamePattern, IsFilledWithIndices) {
  const NamePattern pattern = Pattern({"p", "*", "sga", "*", "gpu"});
  EXPECT_EQ(pattern.At({0, 12}), "p-0-sga-12-gpu");
  EXPECT_EQ(pattern.ToString(), "p-<index>-sga-<index>-gpu");
  EXPECT_EQ(Pattern({"p", "a*b"}).ToString(), "p-a*b");
}

TEST(NamePattern, OverlapsWhereTheSameNameComesOut) {
  EXPECT_THAT(Overlaps({Pattern({"p", "*", "a"}), Pattern({"p", "7", "a"})}),
              ElementsAre(Pair(0, 1)));
  EXPECT_THAT(Overlaps({Pattern({"p", "*", "a", "2"}), Pattern({"p", "1", "a", "*"})}),
              ElementsAre(Pair(0, 1)));
  EXPECT_THAT(Overlaps({Pattern({"p", "*", "a", "2"}), Pattern({"p", "*", "a", "3"})}), IsEmpty());
  EXPECT_THAT(Overlaps({Pattern({"p", "*", "2", "1"}), Pattern({"p", "*", "2", "9"}),
                        Pattern({"p", "4", "*", "9"})}),
              ElementsAre(Pair(1, 2)));
  EXPECT_THAT(Overlaps({Pattern({"p-1", "a"}), Pattern({"p", "*", "a"})}), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(Overlaps({Pattern({"p", "01"}), Pattern({"p", "*"})}), IsEmpty());
  EXPECT_THAT(Overlaps({Pattern({"p", "all"}), Pattern({"p", "*"})}), IsEmpty());
}

std::set<std::string> AllNames(const NamePattern& pattern) {
  std::set<std::string> names;
  std::array<int64_t, NamePattern::kMaxIndices> indices = {};
  const int count = pattern.indices() == 0 ? 1 : pattern.indices() == 1 ? 3 : 9;
  for (int i = 0; i < count; ++i) {
    for (size_t k = 0, rest = static_cast<size_t>(i); k < pattern.indices(); ++k, rest /= 3) {
      indices[k] = static_cast<int64_t>(rest % 3);
    }
    names.insert(pattern.At(indices));
  }
  return names;
}

bool Meet(const NamePattern& a, const NamePattern& b) {
  const std::set<std::string> other = AllNames(b);
  for (const std::string& name : AllNames(a)) {
    if (other.contains(name)) {
      return true;
    }
  }
  return false;
}

// Against trying all indices, over parts that make every kind of near miss.
TEST(NamePattern, OverlapsAreThoseThatTryingFinds) {
  Random random(7);
  const std::string parts[] = {"a", "0", "1", "2", "*", "*", "all"};
  int met = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<NamePattern> two;
    for (int i = 0; i < 2; ++i) {
      std::vector<std::string> chosen = {"p"};
      size_t indices = 0;
      for (uint64_t length = 1 + random.Below(3); length > 0; --length) {
        std::string part = parts[random.Below(std::size(parts))];
        part = part == "*" && ++indices > 2 ? "a" : part;
        chosen.push_back(part);
      }
      two.push_back(Pattern(chosen));
    }
    const bool meet = Meet(two[0], two[1]);
    met += meet ? 1 : 0;
    ASSERT_EQ(!Overlaps(two).empty(), meet) << two[0].ToString() << " " << two[1].ToString();
  }
  EXPECT_GT(met, 100);
}

// Names that differ only in numbers, as ranks do: each is compared with all others at once.
TEST(NamePattern, ManyThatDifferOnlyInNumbersAreQuick) {
  std::vector<NamePattern> patterns;
  for (int i = 0; i < 50'000; ++i) {
    patterns.push_back(Pattern({"p", "*", "work", std::to_string(i), "*", "gpu"}));
  }
  EXPECT_THAT(Overlaps(patterns), IsEmpty());
  patterns.push_back(Pattern({"p", "*", "work", "*", "3", "gpu"}));
  EXPECT_THAT(Overlaps(patterns), ::testing::SizeIs(1));
}

}  // namespace
}  // namespace hearth::admission::grove
