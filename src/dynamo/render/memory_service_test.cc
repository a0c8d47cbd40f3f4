#include "dynamo/render/memory_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"
#include "pods/environment.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using testing::HasSubstr;

Value Json(std::string_view text) {
  auto value = json::ParseValue(text);
  EXPECT_OK(value);
  return value.ok() ? *std::move(value) : Value();
}

Value Pod() {
  return Json(R"({"containers":[{"name":"side","image":"s"},{"name":"main","image":"i",)"
              R"("resources":{"limits":{"nvidia.com/gpu":2}}}]})");
}

MemoryService Service() { return {.claim_template = "t", .target = "main", .gpus = 2}; }

// G1, W18
TEST(MemoryServiceTest, TheServerIsASidecarOfTheTargetsImage) {
  Value pod = Pod();
  ASSERT_OK(AddMemoryService(pod, Service()));
  const Value& server = pod.Find("initContainers")->items()[0];
  EXPECT_EQ(pods::Text(server, "name"), "gms-server");
  EXPECT_EQ(pods::Text(server, "image"), "i");
  EXPECT_EQ(pods::Text(server, "restartPolicy"), "Always");
  EXPECT_EQ(server.Find("command")->Write(), R"(["python3","-m","gpu_memory_service.cli.server"])");
  EXPECT_EQ(server.FindPath("resources.claims")->Write(), R"([{"name":"intrapod-shared-gpu"}])");
  EXPECT_EQ(server.Find("volumeMounts")->Write(),
            R"([{"name":"gms-intrapod-control","mountPath":"/gms-intrapod-control"}])");
  EXPECT_EQ(pods::Text(*pods::FindVariable(server, "GMS_SOCKET_DIR"), "value"),
            "/gms-intrapod-control");
  EXPECT_THAT(server.Find("startupProbe")->Write(), HasSubstr("-ge 4"));
  EXPECT_EQ(pod.Find("volumes")->Write(), R"([{"name":"gms-intrapod-control","emptyDir":{}}])");
}

// G2
TEST(MemoryServiceTest, TwiceIsOnce) {
  Value pod = Pod();
  ASSERT_OK(AddMemoryService(pod, Service()));
  const std::string once = pod.Write();
  ASSERT_OK(AddMemoryService(pod, Service()));
  EXPECT_EQ(pod.Write(), once);
}

// G3
TEST(MemoryServiceTest, ServersAreNotCaptured) {
  Value pod = Pod();
  ASSERT_OK(AddMemoryService(pod, Service()));
  EXPECT_EQ(pod.Write().find("snapshot-control"), std::string::npos);
}

// G4
TEST(MemoryServiceTest, OurWiringWinsOverWhatHasItsNames) {
  Value pod = Json(
      R"({"volumes":[{"name":"gms-intrapod-control","hostPath":{"path":"/x"}}],"containers":[)"
      R"({"name":"main","env":[{"name":"GMS_SOCKET_DIR","value":"/x"},{"name":"Z","value":"1"}],)"
      R"("volumeMounts":[{"name":"gms-intrapod-control","mountPath":"/x"},)"
      R"({"name":"other","mountPath":"/gms-intrapod-control"}]}]})");
  ASSERT_OK(AddMemoryService(pod, Service()));
  const Value& main = pod.Find("containers")->items()[0];
  EXPECT_EQ(pod.Find("volumes")->Write(), R"([{"name":"gms-intrapod-control","emptyDir":{}}])");
  EXPECT_EQ(main.Find("env")->Write(),
            R"([{"name":"GMS_SOCKET_DIR","value":"/gms-intrapod-control"},)"
            R"({"name":"Z","value":"1"}])");
  EXPECT_EQ(main.Find("volumeMounts")->Write(),
            R"([{"name":"gms-intrapod-control","mountPath":"/gms-intrapod-control"}])");
}

// W11
TEST(MemoryServiceTest, ExtraClientsAreWiredAndUnknownOnesRefused) {
  Value pod = Pod();
  MemoryService service = Service();
  service.extra_clients = {"side"};
  ASSERT_OK(AddMemoryService(pod, service));
  EXPECT_NE(pods::FindVariable(pod.Find("containers")->items()[0], "GMS_SOCKET_DIR"), nullptr);
  service.extra_clients = {"nobody"};
  EXPECT_THAT(std::string(AddMemoryService(pod, service).message()),
              HasSubstr("\"nobody\" does not name a container"));
}

MemoryMover Mover() { return {.checkpoint_directory = "/checkpoints/gms/id/versions/1"}; }

TEST(MemoryServiceTest, LoaderAndSaverAreOursByDefault) {
  const Value loader = LoaderContainer(Json(R"({"name":"main","image":"i"})"), Mover(), nullptr);
  EXPECT_EQ(
      loader.Write(),
      R"({"name":"gms-loader","image":"i","command":["python3","-m",)"
      R"("gpu_memory_service.cli.snapshot.loader"],"env":[{"name":"GMS_SOCKET_DIR","value":)"
      R"("/gms-intrapod-control"},{"name":"GMS_CHECKPOINT_DIR","value":)"
      R"("/checkpoints/gms/id/versions/1"},{"name":"GMS_POD_UID","valueFrom":{"fieldRef":)"
      R"({"fieldPath":"metadata.uid"}}}],"volumeMounts":[{"name":"gms-intrapod-control",)"
      R"("mountPath":"/gms-intrapod-control"}],"resources":{"claims":[{"name":"intrapod-shared-gpu"}]}})");
  const Value saver = SaverContainer(Json(R"({"image":"i"})"), Mover(), nullptr);
  EXPECT_EQ(pods::Text(saver, "name"), "gms-saver");
  EXPECT_THAT(saver.Write(), HasSubstr("gpu_memory_service.cli.snapshot.saver"));
}

// R4: order is the user's; GMS_SOCKET_DIR is ours
TEST(MemoryServiceTest, UsersChangeWhatTheySay) {
  api::dynamo::GmsLoader said;
  said.image = "mine";
  said.command = {"load", "--fast"};
  said.envs = {pods::Variable("B", "$(A)"), pods::Variable("GMS_SOCKET_DIR", "/elsewhere"),
               pods::Variable("GMS_CHECKPOINT_DIR", "/own"), pods::Variable("A", "1")};
  said.env_from_secret = "secret";
  said.volume_mounts = {Json(R"({"name":"x","mountPath":"/x"})")};
  const Value loader = LoaderContainer(Json(R"({"image":"i"})"), Mover(), &said);
  EXPECT_EQ(pods::Text(loader, "image"), "mine");
  EXPECT_EQ(loader.Find("command")->Write(), R"(["load","--fast"])");
  EXPECT_EQ(loader.Find("env")->Write(),
            R"j([{"name":"GMS_SOCKET_DIR","value":"/gms-intrapod-control"},)j"
            R"j({"name":"GMS_CHECKPOINT_DIR","value":"/own"},{"name":"B","value":"$(A)"},)j"
            R"j({"name":"A","value":"1"}])j");
  EXPECT_EQ(loader.Find("envFrom")->Write(), R"([{"secretRef":{"name":"secret"}}])");
  EXPECT_EQ(loader.Find("volumeMounts")->items().size(), 2U);
}

}  // namespace
}  // namespace hearth::dynamo
