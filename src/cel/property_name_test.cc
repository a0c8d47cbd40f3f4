#include "cel/property_name.h"

#include <gtest/gtest.h>

#include <utility>

namespace hearth::cel {
namespace {

TEST(PropertyName, EscapesAndBack) {
  const std::pair<const char*, const char*> pairs[] = {
      {"name", "name"},
      {"a_b", "a_b"},
      {"_a", "_a"},
      {"a__b", "a__underscores__b"},
      {"a.b", "a__dot__b"},
      {"a-b", "a__dash__b"},
      {"a/b", "a__slash__b"},
      {"example.com/x-y", "example__dot__com__slash__x__dash__y"},
      {"namespace", "__namespace__"},
      {"true", "__true__"},
      {"in", "__in__"},
      {"___", "__underscores___"},
      {"self", "self"},
      {"namespaces", "namespaces"},
  };
  for (const auto& [name, identifier] : pairs) {
    EXPECT_EQ(EscapePropertyName(name), identifier);
    EXPECT_EQ(UnescapePropertyName(identifier), name);
  }
}

TEST(PropertyName, SomeCannotBeReached) {
  for (const char* name : {"", "1a", "a b", "a$", "é"}) {
    EXPECT_EQ(EscapePropertyName(name), std::nullopt) << name;
  }
}

TEST(PropertyName, UnknownEscapesAreRefused) {
  for (const char* identifier : {"__nothing__", "a__if__", "__namespace__x"}) {
    EXPECT_EQ(UnescapePropertyName(identifier), std::nullopt) << identifier;
  }
}

}  // namespace
}  // namespace hearth::cel
