#include "dynamo/checkpoint/storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using testing::HasSubstr;

StorageConfig Pvc() { return {.pvc_name = "warm", .base_path = "/checkpoints"}; }

std::string ErrorOf(const StorageConfig& config) {
  const auto storage = ConfiguredStorage(config);
  return storage.ok() ? "" : std::string(storage.status().message());
}

// S1, S6, A110, with those below.
TEST(StorageTest, AnEmptyConfigurationLeavesItToTheAgents) {
  ASSERT_OK_AND_ASSIGN(const auto storage, ConfiguredStorage({}));
  EXPECT_FALSE(storage.has_value());
}

// S2
TEST(StorageTest, OldTypesAloneAreIgnored) {
  ASSERT_OK_AND_ASSIGN(const auto storage, ConfiguredStorage({.type = "s3"}));
  EXPECT_FALSE(storage.has_value());
}

// S3
TEST(StorageTest, OtherTypesAreRefused) {
  EXPECT_THAT(ErrorOf({.type = "nfs"}), HasSubstr("\"nfs\" is unknown"));
}

// S4
TEST(StorageTest, ClaimAndPathAreTakenAndThePathIsCleaned) {
  StorageConfig config = Pvc();
  config.base_path = "/a/../checkpoints//deep/";
  ASSERT_OK_AND_ASSIGN(const auto storage, ConfiguredStorage(config));
  ASSERT_TRUE(storage.has_value());
  EXPECT_EQ(storage->pvc_name, "warm");
  EXPECT_EQ(storage->base_path, "/checkpoints/deep");
  EXPECT_TRUE(storage->configured);
  config.base_path = "checkpoints";
  EXPECT_THAT(ErrorOf(config), HasSubstr("must be an absolute path"));
  config = Pvc();
  config.pvc_name = "";
  EXPECT_THAT(ErrorOf(config), HasSubstr("pvcName is required"));
}

// S5
TEST(StorageTest, TheAccessModeMattersOnlyToWhoMakesTheClaim) {
  StorageConfig config = Pvc();
  config.access_mode = "ReadOnlyMany";
  EXPECT_EQ(ErrorOf(config), "");
  config.create = true;
  config.size = "1Gi";
  EXPECT_THAT(ErrorOf(config), HasSubstr("accessMode"));
}

// S7
TEST(StorageTest, AMissingClaimIsNamed) {
  EXPECT_EQ(std::string(NoStorageClaim({.pvc_name = "warm"}, "ns").message()),
            "checkpoint storage PVC ns/warm does not exist and checkpoint.storage.pvc.create is "
            "false");
}

// S9
TEST(StorageTest, TheClaimIsMadeAsConfigured) {
  StorageConfig config = Pvc();
  config.create = true;
  config.size = "500Gi";
  EXPECT_EQ(RenderStorageClaim(config, "ns").Write(),
            R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"warm",)"
            R"("namespace":"ns","labels":{"app.kubernetes.io/name":"dynamo",)"
            R"("app.kubernetes.io/component":"checkpoint-storage",)"
            R"("app.kubernetes.io/managed-by":"dynamo-operator"}},"spec":{"accessModes":)"
            R"(["ReadWriteMany"],"resources":{"requests":{"storage":"500Gi"}},)"
            R"("volumeMode":"Filesystem"}})");
  config.storage_class = "fast";
  config.access_mode = "ReadWriteOnce";
  EXPECT_THAT(RenderStorageClaim(config, "ns").Write(),
              testing::AllOf(HasSubstr("fast"), HasSubstr("ReadWriteOnce")));
}

// S10
TEST(StorageTest, AClaimToBeMadeNeedsASize) {
  StorageConfig config = Pvc();
  config.create = true;
  EXPECT_THAT(ErrorOf(config), HasSubstr("size \"\" must be a size above 0"));
  config.size = "0";
  EXPECT_THAT(ErrorOf(config), HasSubstr("size \"0\""));
  config.size = "lots";
  EXPECT_THAT(ErrorOf(config), HasSubstr("size \"lots\""));
}

TEST(StorageTest, AgentsTellWhereTheyKeepArtifacts) {
  const auto json = [](std::string_view text) { return *json::ParseValue(text); };
  const Value other = json(R"({"metadata":{"labels":{}},"spec":{}})");
  const Value agent =
      json(R"({"metadata":{"labels":{"app.kubernetes.io/component":"snapshot-agent"}},"spec":)"
           R"({"template":{"spec":{"containers":[{"name":"agent","volumeMounts":[{"name":)"
           R"("checkpoints","mountPath":"/data"}]}],"volumes":[{"name":"checkpoints",)"
           R"("persistentVolumeClaim":{"claimName":"p"}}]}}}})");
  const auto storage = StorageOfAgents({other, agent});
  ASSERT_TRUE(storage.has_value());
  EXPECT_EQ(storage->pvc_name, "p");
  EXPECT_EQ(storage->base_path, "/data");
  EXPECT_FALSE(StorageOfAgents({other}).has_value());
  EXPECT_EQ(*MemoryDirectory(*storage, "id", "2"), "/data/gms/id/versions/2");
  EXPECT_FALSE(MemoryDirectory(*storage, "../id", "2").ok());
}

}  // namespace
}  // namespace hearth::dynamo
