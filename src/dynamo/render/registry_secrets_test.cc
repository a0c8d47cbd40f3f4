#include "dynamo/render/registry_secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "json/parse.h"
#include "json/value.h"

namespace hearth::dynamo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Read(const std::string& config) {
  const json::Blob data =
      json::Value::Object({{".dockerconfigjson", EncodeBase64(config)}}).ToBlob();
  return RegistriesOf(data.view());
}

TEST(RegistrySecrets, AreReadAsTheyAreWritten) {
  EXPECT_THAT(Read(R"({"auths":{"https://index.docker.io/v1/":{},"registry.example":{},)"
                   R"("registry.example:5000/team/":{}}})"),
              ElementsAre("docker.io", "registry.example", "registry.example:5000/team"));
  EXPECT_THAT(Read("no json"), IsEmpty());
  EXPECT_THAT(Read("[]"), IsEmpty());
  const auto garbage = json::Parse(R"({".dockerconfigjson":"%%%"})");
  EXPECT_THAT(RegistriesOf(garbage->view()), IsEmpty());
}

TEST(RegistrySecrets, ServeImagesOfTheirRegistryOnly) {
  EXPECT_TRUE(Serves("registry.example", "registry.example/team/engine:1"));
  EXPECT_TRUE(Serves("registry.example/team", "registry.example/team/engine:1"));
  EXPECT_FALSE(Serves("registry.example/tea", "registry.example/team/engine:1"));
  EXPECT_FALSE(Serves("registry.exam", "registry.example/engine"));
  EXPECT_TRUE(Serves("docker.io", "engine:1"));
  EXPECT_TRUE(Serves("docker.io", "team/engine"));
  EXPECT_FALSE(Serves("docker.io", "localhost/engine"));
  EXPECT_FALSE(Serves("", "engine"));
}

}  // namespace
}  // namespace hearth::dynamo
