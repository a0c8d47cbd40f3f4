#include "schema/field_path.h"

#include <gtest/gtest.h>

namespace hearth::schema {
namespace {

TEST(FieldPath, NamesItemsAndKeysAreWrittenAsKubernetesWritesThem) {
  const FieldPath root = FieldPath::Root();
  const FieldPath spec = root.Child("spec");
  const FieldPath components = spec.Child("components");
  const FieldPath first = components.Item(0);
  EXPECT_EQ(first.Child("name").ToString(), "spec.components[0].name");
  const FieldPath labels = spec.Child("labels");
  EXPECT_EQ(labels.Key("a.b/c").ToString(), "spec.labels[a.b/c]");
  EXPECT_EQ(labels.Key("a.b/c").ToDotted(), "spec.labels.a.b/c");
}

TEST(FieldPath, TheRootIsNamedAsKubernetesDoes) {
  EXPECT_EQ(FieldPath::Root().ToString(), "<nil>");
  EXPECT_EQ(FieldPath::Root().ToDotted(), "");
  EXPECT_TRUE(FieldPath::Root().IsRoot());
}

TEST(FieldPath, ABaseComesFirst) {
  const FieldPath base = FieldPath::Base("status");
  EXPECT_EQ(base.Child("phase").ToString(), "status.phase");
}

}  // namespace
}  // namespace hearth::schema
