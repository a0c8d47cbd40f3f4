// What is rendered of sets, stored by a real API server: it takes it, and gives it back so that
// nothing would be sent again. And grove-initc with the rights that a set's pods have.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <map>

#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "controller/pass.h"
#include "eventually.h"
#include "grove/render/children.h"
#include "grove/render/testing/everything.h"
#include "grove/render/testing/read.h"
#include "kube/client/client.h"
#include "kube/testing/control_plane.h"
#include "net/event_loop.h"

namespace hearth::grove {
namespace {

namespace fs = std::filesystem;
using json::Value;
using testing::HasSubstr;

const kube::ResourceType kPriorityClasses{"scheduling.k8s.io", "v1", "priorityclasses",
                                          "PriorityClass", false};
const kube::ResourceType kSets{"grove.io", "v1alpha1", "podcliquesets", "PodCliqueSet", true};

const kube::ResourceType& TypeOf(const Value& object) {
  static const std::map<std::string, kube::ResourceType> types = {
      {"ServiceAccount", kube::types::ServiceAccounts()},
      {"Secret", kube::types::Secrets()},
      {"Service", kube::types::Services()},
      {"Pod", kube::types::Pods()},
      {"Role", {"rbac.authorization.k8s.io", "v1", "roles", "Role", true}},
      {"RoleBinding", {"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", true}},
      {"HorizontalPodAutoscaler",
       {"autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true}},
      {"PodClique", {"grove.io", "v1alpha1", "podcliques", "PodClique", true}},
      {"PodCliqueScalingGroup",
       {"grove.io", "v1alpha1", "podcliquescalinggroups", "PodCliqueScalingGroup", true}},
      {"PodGang", {"scheduler.grove.io", "v1alpha1", "podgangs", "PodGang", true}},
  };
  return types.at(object.Find("kind")->string());
}

WaitLimit Soon() { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); }

class GroveRenderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    plane_ = kube::SharedControlPlane(&why_not);
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    loop_ = std::make_unique<net::EventLoop>("test");
    ASSERT_OK_AND_ASSIGN(
        transport_, kube::MakeHttpTransport(*loop_, plane_->config(), kube::ConfigSources::Real()));
    client_ = std::make_unique<kube::Client>(*transport_, RealClock());
    Install();
    ASSERT_OK_AND_ASSIGN(name_space_, plane_->NewNamespace("grove"));
  }

  // Once for all tests.
  void Install() {
    static bool installed = false;
    if (installed) {
      return;
    }
    for (const std::string name : {"grove.io_podcliquesets", "grove.io_podcliquescalinggroups",
                                   "grove.io_podcliques", "scheduler.grove.io_podgangs"}) {
      const auto text = RealFileSystem().Read(
          fmt::format("{}/deploy/crds/{}.yaml", HEARTH_SOURCE_DIR, name), 4 << 20);
      ASSERT_OK(text);
      InstallDefinition(ReadYaml(*text));
    }
    const json::Blob high = ReadYaml(
                                "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: "
                                "{name: high}, value: 1000}")
                                .ToBlob();
    ASSERT_OK(client_->Create(kPriorityClasses, "", high.view(), Soon()));
    installed = true;
  }

  void InstallDefinition(const Value& definition) {
    const auto& type = kube::types::CustomResourceDefinitions();
    const kube::ObjectKey key{"", definition.FindPath("metadata.name")->string()};
    const json::Blob body = definition.ToBlob();
    kube::WriteOptions options;
    options.force = true;
    ASSERT_OK(client_->Apply(type, key, body.view(), Soon(), options));
    ASSERT_TRUE(Eventually([&] {
      const auto now = client_->Get(type, key, Soon());
      if (now.ok()) {
        for (const json::View condition : (*now)["status"]["conditions"].items()) {
          if (condition["type"].Equals("Established") && condition["status"].Equals("True")) {
            return true;
          }
        }
      }
      return false;
    }));
  }

  // The set of a golden case, as the server stores it.
  SetFacts CreateSet(const std::string& name) {
    const auto input = RealFileSystem().Read(
        fs::path(HEARTH_SOURCE_DIR) / "tests/golden/grove" / name / "input.yaml", 1 << 20);
    EXPECT_OK(input);
    Value object = ReadYaml(*input);
    object["metadata"].Set("namespace", name_space_);
    object["metadata"].Erase("uid");
    const json::Blob blob = object.ToBlob();
    const auto stored = client_->Create(kSets, name_space_, blob.view(), Soon());
    EXPECT_OK(stored);
    return ReadSet(stored->ToValue().Write());
  }

  // As controllers do it; fails the test when the same would be sent once more.
  Value Store(const Value& object) {
    const json::Blob body = object.ToBlob();
    const kube::ObjectKey key{name_space_, object.FindPath("metadata.name")->string()};
    kube::WriteOptions options;
    options.force = true;
    options.field_validation = "Strict";
    const auto applied = client_->Apply(TypeOf(object), key, body.view(), Soon(), options);
    EXPECT_TRUE(applied.ok()) << applied.status().ToString() << object.WritePretty();
    if (!applied.ok()) {
      return WithUid(object, "none");
    }
    EXPECT_FALSE(controller::NeedsApply(applied->view(), body.view()))
        << "wanted " << object.WritePretty() << "stored " << applied->ToValue().WritePretty();
    return applied->ToValue();
  }

  void SetReady(const std::string& pod) {
    const json::Blob patch =
        ReadYaml("{status: {conditions: [{type: Ready, status: \"True\"}]}}").ToBlob();
    kube::WriteOptions options;
    options.subresource = "status";
    ASSERT_OK(client_->Patch(kube::types::Pods(), {name_space_, pod}, kube::PatchType::kStrategic,
                             patch.view(), Soon(), options));
  }

  void CreatePod(const std::string& name, const std::string& clique, const std::string& gang) {
    const json::Blob pod =
        ReadYaml(fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, labels: "
                             "{{grove.io/podclique: {}, grove.io/podgang: {}}}}}, spec: "
                             "{{containers: [{{name: c, image: i}}]}}}}",
                             name, clique, gang))
            .ToBlob();
    ASSERT_OK(client_->Create(kube::types::Pods(), name_space_, pod.view(), Soon()));
  }

  kube::TestControlPlane* plane_ = nullptr;
  std::string name_space_;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
};

class GroveRenderCase : public GroveRenderTest, public testing::WithParamInterface<const char*> {};

TEST_P(GroveRenderCase, IsTakenAndNotSentAgain) {
  const SetFacts set = CreateSet(GetParam());
  const auto objects = RenderEverything(set, [this](const Value& object) { return Store(object); });
  EXPECT_GT(objects.size(), 6U);
}

INSTANTIATE_TEST_SUITE_P(Cases, GroveRenderCase,
                         testing::Values("one-clique", "leader-and-workers", "start-order",
                                         "shared-claims"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The program, as the account of the set's pods.
class InitcTest : public GroveRenderTest {
 protected:
  void SetUp() override {
    GroveRenderTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    const SetFacts set = CreateSet("start-order");
    Store(RenderServiceAccount(set));
    Store(RenderRole(set));
    Store(RenderRoleBinding(set));
    const json::Blob request =
        ReadYaml("{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, spec: {}}").ToBlob();
    kube::WriteOptions options;
    options.subresource = "token";
    const auto token =
        client_->CreateSubresource(kube::types::ServiceAccounts(), {name_space_, set.id.name},
                                   request.view(), Soon(), options);
    ASSERT_OK(token);
    ASSERT_OK(RealFileSystem().Write(
        directory_.path() + "/kubeconfig",
        kube::WriteKubeconfig(plane_->config(), (*token)["status"]["token"].StringOr("")), 0600));
    ASSERT_OK(RealFileSystem().Write(directory_.path() + "/namespace", name_space_, 0600));
    ASSERT_OK(RealFileSystem().Write(directory_.path() + "/podgangname", "ordered-0", 0600));
  }

  Result<ChildProcess> Start(const std::vector<std::string>& parents) {
    ChildProcess::Spec spec;
    spec.argv = {HEARTH_INITC, "--pod-info", directory_.path(), "--kubeconfig",
                 directory_.path() + "/kubeconfig"};
    for (const std::string& parent : parents) {
      spec.argv.push_back("--podcliques=" + parent);
    }
    spec.log_path = log_path();
    return ChildProcess::Start(spec);
  }

  std::string log_path() const { return directory_.path() + "/log"; }
  std::string Log() const { return RealFileSystem().Read(log_path(), 1 << 20).value_or(""); }
  void AwaitLog(const std::string& part) {
    ASSERT_TRUE(Eventually([&] { return Log().find(part) != std::string::npos; })) << Log();
  }

  TempDirectory directory_;
};

TEST_F(InitcTest, WaitsForReadyPodsOfExactlyTheseCliques) {
  CreatePod("ordered-0-worker-aaaaa", "ordered-0-worker", "ordered-0");
  CreatePod("ordered-0-worker-bbbbb", "ordered-0-worker-b", "ordered-0");
  CreatePod("ordered-0-worker-ccccc", "ordered-0-worker", "ordered-1");
  SetReady("ordered-0-worker-bbbbb");
  SetReady("ordered-0-worker-ccccc");
  ASSERT_OK_AND_ASSIGN(ChildProcess initc, Start({"ordered-0-worker:1", "ordered-0-decode:1"}));
  AwaitLog("ordered-0-decode 0 of 1, ordered-0-worker 0 of 1");
  CreatePod("decode", "ordered-0-decode", "ordered-0");
  SetReady("decode");
  AwaitLog("missing=\"ordered-0-worker 0 of 1\"");
  EXPECT_TRUE(initc.Running());
  SetReady("ordered-0-worker-aaaaa");
  const auto outcome = initc.Wait(Soon());
  ASSERT_OK(outcome);
  EXPECT_TRUE(outcome->ok()) << Log();
}

TEST_F(InitcTest, SaysWhomItWaitedForWhenTerminated) {
  ASSERT_OK_AND_ASSIGN(ChildProcess initc, Start({"ordered-0-worker:2"}));
  AwaitLog("ordered-0-worker 0 of 2");
  ASSERT_OK(initc.Signal(SIGTERM));
  const auto outcome = initc.Wait(Soon());
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->exit_code, 1);
  EXPECT_THAT(Log(),
              HasSubstr("told to stop while waiting for ready pods: ordered-0-worker 0 of 2"));
}

TEST_F(InitcTest, GoesOnWhenTheServerComesBack) {
  CreatePod("w", "ordered-0-worker", "ordered-0");
  ASSERT_OK_AND_ASSIGN(ChildProcess initc, Start({"ordered-0-worker:1", "ordered-0-decode:1"}));
  CreatePod("decode", "ordered-0-decode", "ordered-0");
  SetReady("decode");
  AwaitLog("missing=\"ordered-0-worker 0 of 1\"");
  plane_->KillApiServer();
  ASSERT_OK(plane_->StartApiServer());
  SetReady("w");
  const auto outcome = initc.Wait(Soon());
  ASSERT_OK(outcome);
  EXPECT_TRUE(outcome->ok()) << Log();
}

TEST(Initc, SaysWhatItIs) {
  const auto run = [](std::vector<std::string> argv) {
    argv.insert(argv.begin(), HEARTH_INITC);
    auto outcome = RealProcessRunner().Run({.argv = std::move(argv)}, Soon());
    EXPECT_OK(outcome);
    return outcome.ok() ? *outcome : ProcessOutcome{.exit_code = -1};
  };
  EXPECT_THAT(run({"--help"}).output, HasSubstr("--podcliques"));
  EXPECT_THAT(run({"--version"}).output, testing::StartsWith("grove-initc "));
  EXPECT_EQ(run({}).exit_code, 2);
  const ProcessOutcome wrong = run({"-p", "worker:none"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("worker:none"));
  EXPECT_EQ(run({"-p", "worker:1", "--pod-info", "/nowhere"}).exit_code, 1);
}

}  // namespace
}  // namespace hearth::grove
