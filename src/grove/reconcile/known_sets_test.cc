#include "grove/reconcile/known_sets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "controller/testing/pruned.h"

namespace hearth::grove {
namespace {

using Set = controller::Snapshot<SetFields>;

Set SetOf(int version, const std::string& spec, const std::string& uid = "u-1") {
  return Set(controller::MakeCached(
      fmt::format(
          R"({{"metadata":{{"name":"s","namespace":"n","uid":"{}","resourceVersion":"{}"}},)"
          R"("spec":{}}})",
          uid, version, spec),
      SetFields::Fields()));
}

constexpr const char* kSpec =
    R"({"replicas":1,"template":{"cliques":[{"name":"a","spec":{"roleName":"a","replicas":1,)"
    R"("podSpec":{"containers":[{"name":"c","image":"i"}]}}}]}})";
constexpr const char* kOtherSpec =
    R"({"replicas":2,"template":{"cliques":[{"name":"a","spec":{"roleName":"a","replicas":1,)"
    R"("podSpec":{"containers":[{"name":"c","image":"j"}]}}}]}})";

TEST(KnownSets, OneVersionIsReadOnce) {
  KnownSets known;
  const Set set = SetOf(1, kSpec);
  const auto first = known.Read(set);
  const auto again = known.Read(set);
  ASSERT_OK(first);
  ASSERT_OK(again);
  EXPECT_EQ(*first, *again);
  EXPECT_EQ((*first)->facts.spec.replicas, 1);
  EXPECT_FALSE((*first)->hashes.cliques.at("a").empty());
}

TEST(KnownSets, AnotherVersionIsReadAnew) {
  KnownSets known;
  const auto before = known.Read(SetOf(1, kSpec));
  const auto after = known.Read(SetOf(2, kOtherSpec));
  ASSERT_OK(before);
  ASSERT_OK(after);
  EXPECT_EQ((*after)->facts.spec.replicas, 2);
  EXPECT_NE((*before)->hashes.generation, (*after)->hashes.generation);
}

TEST(KnownSets, SetsAreToldApart) {
  KnownSets known;
  const Set one = SetOf(1, kSpec, "u-1");
  const Set other = SetOf(1, kOtherSpec, "u-2");
  ASSERT_OK(known.Read(one));
  ASSERT_OK(known.Read(other));
  EXPECT_EQ((*known.Read(one))->facts.spec.replicas, 1);
  EXPECT_EQ((*known.Read(other))->facts.spec.replicas, 2);
}

TEST(KnownSets, SetThatCannotBeReadIsToldEveryTime) {
  KnownSets known;
  const Set set = SetOf(1, R"({"replicas":"many"})");
  EXPECT_FALSE(known.Read(set).ok());
  EXPECT_FALSE(known.Read(set).ok());
}

}  // namespace
}  // namespace hearth::grove
