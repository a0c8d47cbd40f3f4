// What must hold for every kind of the product.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "api/catalog/catalog.h"
#include "base/testing/status_matchers.h"
#include "files.h"
#include "schema/cel/rule_set.h"
#include "schema/validate.h"

namespace hearth::generate {
namespace {

constexpr size_t kMostBytes = 1 << 20;  // etcd takes little more in one object

TEST(Definitions, EveryKindIsThereOnce) {
  std::set<std::string> names;
  for (const schema::ResourceDefinition& definition : api::AllDefinitions()) {
    EXPECT_TRUE(names.insert(definition.Name()).second) << definition.Name();
  }
  EXPECT_EQ(names.size(), 11U);
}

TEST(Definitions, SchemasAreStructuralAndTheirRulesCompile) {
  for (const schema::ResourceDefinition& definition : api::AllDefinitions()) {
    for (const schema::ResourceVersion& version : definition.versions) {
      SCOPED_TRACE(definition.Name() + " " + version.name);
      EXPECT_OK(schema::Validator::Make(version.schema));
      EXPECT_OK(schema::RuleSet::Compile(version.schema));
    }
  }
}

TEST(Definitions, FitIntoOneObjectOfTheApiServer) {
  for (const GeneratedFile& file : GenerateAll()) {
    EXPECT_LE(file.text.size(), kMostBytes) << file.path;
  }
}

TEST(Definitions, ReadBackAsTheyWereWritten) {
  for (const schema::ResourceDefinition& definition : api::AllDefinitions()) {
    const json::Value crd = schema::ToCrd(definition);
    const auto read = schema::FromCrd(crd);
    ASSERT_OK(read);
    EXPECT_EQ(schema::ToCrd(*read), crd) << definition.Name();
  }
}

}  // namespace
}  // namespace hearth::generate
