// What we show to users is taken, without a word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "admission/dynamo/testing/small_door.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::admission::dynamo {
namespace {

using testing::IsEmpty;

const std::string kDirectory = std::string(HEARTH_SOURCE_DIR) + "/examples/dynamo";

TEST(Examples, AreTaken) {
  const auto names = RealFileSystem().List(kDirectory);
  ASSERT_OK(names);
  std::set<std::string> kinds;
  for (const std::string& name : *names) {
    SCOPED_TRACE(name);
    const auto text = RealFileSystem().Read(kDirectory + "/" + name, 1 << 20);
    ASSERT_OK(text);
    const auto documents = json::ParseYaml(*text);
    ASSERT_OK(documents);
    ASSERT_FALSE(documents->empty());
    for (const json::Value& document : *documents) {
      const Answer answer = Ask(document);
      EXPECT_THAT(answer.errors, IsEmpty());
      EXPECT_THAT(answer.warnings, IsEmpty());
      kinds.insert(document.Find("apiVersion")->string() + " " + document.Find("kind")->string());
    }
  }
  EXPECT_THAT(kinds, testing::ElementsAre("nvidia.com/v1alpha1 DynamoCheckpoint",
                                          "nvidia.com/v1alpha1 DynamoGraphDeployment",
                                          "nvidia.com/v1beta1 DynamoComponentDeployment",
                                          "nvidia.com/v1beta1 DynamoGraphDeployment"));
}

}  // namespace
}  // namespace hearth::admission::dynamo
