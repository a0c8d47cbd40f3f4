#include "json/internal/name_set.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hearth::json::internal {
namespace {

// Adds all and says whether one stood twice.
bool HasDuplicate(const std::vector<std::string>& names) {
  NameSet set;
  NameSet::Scope scope(set);
  bool fresh = true;
  for (const std::string& name : names) {
    fresh = scope.Add(name) && fresh;
  }
  return !fresh || scope.Duplicate().has_value();
}

std::vector<std::string> Names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    names.push_back("prefix-" + std::to_string(i * 7919) + "-suffix");
  }
  return names;
}

TEST(NameSet, TellsNamesOfAllLengthsApart) {
  std::vector<std::string> names;
  for (size_t length = 0; length < 20; ++length) {
    names.push_back(std::string(length, 'a'));
    names.push_back(std::string(length, 'a') + "b");
    names.push_back("c" + std::string(length, 'a'));
  }
  EXPECT_FALSE(HasDuplicate(names));
}

TEST(NameSet, FindsADuplicateAtEverySizeAndPlace) {
  for (const int count : {1, 2, 5, 31, 32, 33, 34, 100, 1000}) {
    EXPECT_FALSE(HasDuplicate(Names(count))) << count;
    for (const int place : {0, count / 2, count - 1}) {
      std::vector<std::string> names = Names(count);
      names.push_back(names[static_cast<size_t>(place)]);
      EXPECT_TRUE(HasDuplicate(names)) << count << " " << place;
    }
  }
}

TEST(NameSet, NamesThatDifferOnlyInTheMiddleAreDifferent) {
  EXPECT_FALSE(HasDuplicate({"aaaaaaaaXbbbbbbbb", "aaaaaaaaYbbbbbbbb"}));
  EXPECT_TRUE(HasDuplicate({"aaaaaaaaXbbbbbbbb", "aaaaaaaaXbbbbbbbb"}));
}

TEST(NameSet, ScopesDoNotSeeEachOther) {
  NameSet set;
  NameSet::Scope outer(set);
  EXPECT_TRUE(outer.Add("a"));
  {
    NameSet::Scope inner(set);
    EXPECT_TRUE(inner.Add("a"));
    EXPECT_FALSE(inner.Add("a"));
  }
  EXPECT_TRUE(outer.Add("b"));
  EXPECT_FALSE(outer.Add("a"));
}

TEST(NameSet, TellsTheLaterOfTwo) {
  NameSet set;
  NameSet::Scope scope(set);
  std::vector<std::string> names = Names(50);
  names.push_back(names[3]);
  for (const std::string& name : names) {
    EXPECT_TRUE(scope.Add(name) || &name == &names.back());
  }
  ASSERT_TRUE(scope.Duplicate().has_value());
  EXPECT_TRUE(scope.Duplicate()->data() == names[3].data() ||
              scope.Duplicate()->data() == names[50].data());
}

}  // namespace
}  // namespace hearth::json::internal
