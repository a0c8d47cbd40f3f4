#include "base/seeded_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace hearth {
namespace {

// The published vectors of SipHash-2-4: key 00 01 .. 0f, input 00 01 02 ..
constexpr SipKey kPublishedKey{0x0706050403020100U, 0x0f0e0d0c0b0a0908U};

std::string CountedUp(size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) {
    text += static_cast<char>(i);
  }
  return text;
}

TEST(SipHash, GivesThePublishedValues) {
  const auto hash = [](size_t bytes) { return SipHash<2, 4>(CountedUp(bytes), kPublishedKey); };
  EXPECT_EQ(hash(0), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(hash(1), 0x74f839c593dc67fdU);
  EXPECT_EQ(hash(7), 0xab0200f58b01d137U);
  EXPECT_EQ(hash(8), 0x93f5f5799a932462U);
  EXPECT_EQ(hash(15), 0xa129ca6149be45e5U);
}

TEST(SipHash, DependsOnTheKey) {
  EXPECT_NE((SipHash<2, 4>("name", {1, 2})), (SipHash<2, 4>("name", {1, 3})));
  EXPECT_NE((SipHash<2, 4>("name", {1, 2})), (SipHash<2, 4>("name", {2, 2})));
}

TEST(SeededHash, IsTheSameForOneNameAndNotWhatTheLibraryGives) {
  EXPECT_EQ(SeededHash()("name"), SeededHash()(std::string("name")));
  EXPECT_NE(SeededHash()("name"), std::hash<std::string_view>()("name"));
}

// The places of a table of the library are hashes modulo a prime: names that fall into one of them
// are found by trying, by anybody who knows the hash.
std::vector<std::string> NamesOfOnePlace(size_t places, size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; names.size() < count; ++i) {
    std::string name = "n" + std::to_string(i);
    if (std::hash<std::string_view>()(name) % places == 0) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

TEST(SeededSet, NamesChosenToFallIntoOnePlaceDoNot) {
  constexpr size_t kPlaces = 1031;  // what the library takes for a thousand
  constexpr size_t kNames = 200;
  SeededSet<std::string_view> set(kPlaces);
  std::unordered_set<std::string_view> plain(kPlaces);
  ASSERT_EQ(plain.bucket_count(), set.bucket_count());
  const std::vector<std::string> names = NamesOfOnePlace(plain.bucket_count(), kNames);
  set.insert(names.begin(), names.end());
  plain.insert(names.begin(), names.end());
  size_t fullest = 0;
  for (size_t i = 0; i < set.bucket_count(); ++i) {
    fullest = std::max(fullest, set.bucket_size(i));
  }
  EXPECT_EQ(plain.bucket_size(0), kNames);
  EXPECT_LT(fullest, 10U);
}

TEST(SeededMap, IsAskedWithViews) {
  SeededMap<std::string, int> map;
  map.emplace("one", 1);
  EXPECT_EQ(map.find(std::string_view("one"))->second, 1);
  EXPECT_TRUE(map.find(std::string_view("two")) == map.end());
}

TEST(SeededHash, AnEmptyNameMayBeNowhere) {
  EXPECT_EQ(SeededHash()(std::string_view()), SeededHash()(""));
}

}  // namespace
}  // namespace hearth
