// Whole stories on a real node: graphs of the example engine with GPU memory that outlives it, on
// memory of the machine. Kubernetes' own programs, containerd and CRIU, our operator with its
// webhooks and our agent, images made on the spot; nothing is played but the GPUs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "eventually.h"
#include "model.h"
#include "story_cluster.h"

namespace hearth::node {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

constexpr Duration kEnough = 3min;  // for pods on a busy machine
constexpr uint16_t kPort = 9090;    // of engines; the second one of a pod has the next
const std::vector<std::string>& Prompts() {
  static const std::vector<std::string> kPrompts = {"the fire", "that keeps", "warm"};
  return kPrompts;
}

// What the model of the stories says, worked out here.
std::vector<std::string> RightAnswers() {
  constexpr uint64_t kSeed = 7;
  const auto shape = engine::ModelShape::OfSize(16 << 20, 2048);
  const auto tensor = [&](const std::string& name, size_t bytes) {
    std::vector<int8_t> made(bytes);
    engine::MakeTensor(kSeed, name, shape.width, made);
    return made;
  };
  const std::vector<int8_t> embedding = tensor("embedding.weight", shape.embedding_bytes());
  std::vector<std::vector<int8_t>> layers;
  engine::WeightsView weights{.shape = shape, .embedding = embedding};
  for (int layer = 0; layer < shape.layers; ++layer) {
    layers.push_back(tensor(fmt::format("layers.{}.weight", layer), shape.layer_bytes()));
  }
  for (const auto& layer : layers) {
    weights.layers.emplace_back(layer);
  }
  const engine::Calibration calibration = engine::Calibrate(weights);
  std::vector<std::string> answers;
  for (const std::string& prompt : Prompts()) {
    answers.push_back(engine::Generate(weights, calibration, prompt, EngineTalk::kLetters));
  }
  return answers;
}

// Probes ask more often than by default, and have more patience with a busy machine.
constexpr const char* kWorker = R"(
      podTemplate:
        spec:
          terminationGracePeriodSeconds: 10
          containers:
          - name: main
            image: $image
            command: [python3]
            args: [-m, dynamo.vllm, --model, example/tiny, --weights, 16Mi, --seed, "7"]
            resources: {limits: {nvidia.com/gpu: "1"}}
            startupProbe: {httpGet: {path: /live, port: system}, periodSeconds: 1, failureThreshold: 300}
            readinessProbe: {httpGet: {path: /health, port: system}, periodSeconds: 1, timeoutSeconds: 10}
            livenessProbe: {httpGet: {path: /live, port: system}, periodSeconds: 5, timeoutSeconds: 30}
)";

class Stories : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started = StoryCluster::Start();
    why_not_ = new Status(started.status());
    story_ = started.ok() ? started->release() : nullptr;
  }
  static void TearDownTestSuite() {
    delete story_;
    delete why_not_;
  }
  void SetUp() override {
    if (story_ == nullptr && why_not_->Is(Code::kNotFound)) {
      GTEST_SKIP() << why_not_->ToString();
    }
    ASSERT_OK(*why_not_);
    ASSERT_OK_AND_ASSIGN(name_space_, story_->NewNamespace("story"));
  }
  void TearDown() override {
    if (HasFailure() && story_ != nullptr) {
      ADD_FAILURE() << story_->Account(name_space_);
    }
  }

  Status Apply(std::string yaml) {
    for (const auto& [what, by] :
         std::vector<std::pair<std::string, std::string>>{{"$worker", kWorker},
                                                          {"$movers", "{}"},
                                                          {"$namespace", name_space_},
                                                          {"$image", StoryCluster::kEngineImage}}) {
      yaml = ReplaceAll(std::move(yaml), what, by);
    }
    return story_->kube().Apply(yaml);
  }
  Status Scale(const std::string& graph, int replicas) {
    return story_->kube()
        .Kubectl(
            {"patch", "dynamographdeployment", graph, "-n", name_space_, "--type=json", "-p",
             fmt::format(
                 R"([{{"op": "replace", "path": "/spec/components/0/replicas", "value": {}}}])",
                 replicas)})
        .status();
  }
  static std::string ReplaceAll(std::string text, const std::string& what, const std::string& by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
      text.replace(at, what.size(), by);
    }
    return text;
  }

  // So many pods of the workers and no others, all of them ready.
  std::vector<StoryPod> AwaitReady(size_t count) {
    std::vector<StoryPod> pods;
    const bool ready = Eventually(
        [&] {
          pods = story_->Pods(name_space_, "worker");
          return pods.size() == count &&
                 std::all_of(pods.begin(), pods.end(), [](const auto& pod) { return pod.ready(); });
        },
        kEnough);
    EXPECT_TRUE(ready) << "there should be " << count << " pods that are ready";
    return ready ? pods : std::vector<StoryPod>();
  }
  // The name of the namespace's checkpoint, once it is ready.
  std::string AwaitCheckpoint() {
    std::string line;
    const bool ready = Eventually(
        [&] {
          line = story_->kube()
                     .Kubectl({"get", "dynamocheckpoints", "-n", name_space_, "-o",
                               "jsonpath={range .items[*]}{.metadata.name} {.status.phase} "
                               "{.status.checkpointID}{end}"})
                     .value_or("");
          return line.find(" Ready ") != std::string::npos ||
                 line.find(" Failed ") != std::string::npos;
        },
        kEnough);
    EXPECT_TRUE(ready) << line;
    EXPECT_THAT(line, HasSubstr(" Ready "));
    return std::string(Split(line, ' ').back());
  }
  // What was captured, and the weights beside it.
  void ExpectSaved(const std::string& checkpoint_id) {
    for (const std::string& place : {checkpoint_id + "/versions/1/manifest.yaml",
                                     "gms/" + checkpoint_id + "/versions/1/device-0"}) {
      EXPECT_TRUE(fs::exists(story_->StoragePath(place))) << place;
    }
  }

  // Of the pod's engines, the one that serves: 0 or 1; nothing in time: -1.
  int AwaitServing(const StoryPod& pod, int engines) {
    int serving = -1;
    EXPECT_TRUE(Eventually(
        [&] {
          for (int engine = 0; engine < engines; ++engine) {
            const auto state = story_->Talk(pod, PortOf(engine)).State();
            if (state.ok() && state->phase == "serving") {
              serving = engine;
              return true;
            }
          }
          return false;
        },
        kEnough))
        << "no engine of " << pod.name() << " serves";
    return serving;
  }
  EngineState AwaitPhase(const StoryPod& pod, int engine, const std::string& phase) {
    EngineState last;
    EXPECT_TRUE(Eventually(
        [&] {
          const auto state = story_->Talk(pod, PortOf(engine)).State();
          last = state.ok() ? *state : EngineState();
          return last.phase == phase;
        },
        kEnough))
        << "engine " << engine << " of " << pod.name() << " is " << last.phase;
    return last;
  }
  std::vector<std::string> Answers(const StoryPod& pod, int engine) {
    std::vector<std::string> answers;
    EngineTalk talk = story_->Talk(pod, PortOf(engine));
    for (const std::string& prompt : Prompts()) {
      const auto answer = talk.Complete(prompt);
      EXPECT_OK(answer);
      answers.push_back(answer.ok() ? *answer : "");
    }
    return answers;
  }
  static uint16_t PortOf(int engine) { return static_cast<uint16_t>(kPort + engine); }

  // How a pod says that it started: from this checkpoint, or cold, since there was none yet.
  void ExpectProof(const std::string& pod, const std::string& checkpoint) {
    const std::string start = checkpoint.empty() ? "cold" : "restored";
    std::map<std::string, std::string> said;
    EXPECT_TRUE(Eventually(
        [&] {
          said = AnnotationsOf(pod);
          return said["hearth.dev/start"] == start;
        },
        kEnough))
        << pod << " says that it started " << said["hearth.dev/start"];
    if (checkpoint.empty()) {
      EXPECT_EQ(said["hearth.dev/start-reason"], "not_ready");
      return;
    }
    EXPECT_EQ(said["hearth.dev/restored-from"], checkpoint + "/1");
    auto digest = story_->kube().Kubectl(
        {"get", "podsnapshotcontents", "-o",
         fmt::format("jsonpath={{.items[?(@.status.artifact.checkpointID==\"{}\")].status.artifact."
                     "digest}}",
                     checkpoint)});
    EXPECT_EQ(said["hearth.dev/restored-digest"], std::move(digest).value_or("unknown"));
    EXPECT_THAT(said["hearth.dev/restore-phases"], HasSubstr("="));
  }
  std::map<std::string, std::string> AnnotationsOf(const std::string& pod) {
    std::map<std::string, std::string> annotations;
    const auto object = story_->Get("pod", name_space_, pod);
    if (object.ok()) {
      const json::Value said(object->meta().annotations());
      for (const auto& [key, value] : said.members()) {
        annotations[key] = value.StringOr("");
      }
    }
    return annotations;
  }
  // Those that are no memory servers.
  static std::vector<StoryPod> EnginesOf(const std::vector<StoryPod>& pods) {
    std::vector<StoryPod> engines;
    for (const StoryPod& pod : pods) {
      if (pod.Label("grove.io/podclique").find("-gms-") == std::string::npos) {
        engines.push_back(pod);
      }
    }
    return engines;
  }
  static std::map<std::string, std::string> VariablesOf(json::View container) {
    std::map<std::string, std::string> variables;
    for (const json::View variable : container["env"].items()) {
      variables[variable["name"].StringOr("")] = variable["value"].StringOr("");
    }
    return variables;
  }
  static size_t FilesBelow(const std::string& place) {
    size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(story_->StoragePath(place))) {
      count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  }

  static std::vector<std::string> NamesOf(const std::vector<StoryPod>& pods) {
    std::vector<std::string> names;
    for (const StoryPod& pod : pods) {
      names.push_back(pod.name());
    }
    return names;
  }
  static std::vector<StoryPod> Without(const std::vector<StoryPod>& pods,
                                       const std::vector<StoryPod>& others) {
    std::vector<StoryPod> rest;
    const auto names = NamesOf(others);
    for (const StoryPod& pod : pods) {
      if (std::find(names.begin(), names.end(), pod.name()) == names.end()) {
        rest.push_back(pod);
      }
    }
    return rest;
  }

  static StoryCluster* story_;
  static Status* why_not_;
  std::string name_space_;
};
StoryCluster* Stories::story_ = nullptr;
Status* Stories::why_not_ = nullptr;

// Two engines in each pod on one GPU's memory, which a server of the operator beside them holds.
constexpr const char* kAlwaysOn = R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: always-on
  namespace: $namespace
  annotations: {nvidia.com/enable-grove: "false", nvidia.com/dynamo-kube-discovery-mode: container}
spec:
  backendFramework: vllm
  components:
    - name: worker
      type: worker
      replicas: 1$worker
      experimental:
        gpuMemoryService:
          mode: IntraPod
          checkpoint: $movers
        failover: {mode: IntraPod}
        checkpoint: {enabled: true}
)";

TEST_F(Stories, AWorkerIsCapturedItsCopiesComeBackWarmAndTheStandbyTakesOver) {
  // It starts as if there were no checkpoint, and answers.
  ASSERT_OK(Apply(kAlwaysOn));
  const std::vector<StoryPod> cold = AwaitReady(1);
  ASSERT_EQ(cold.size(), 1U);
  const int first = AwaitServing(cold[0], 2);
  ASSERT_GE(first, 0);
  EXPECT_EQ(AwaitPhase(cold[0], first, "serving").start, "cold");
  EXPECT_EQ(AwaitPhase(cold[0], 1 - first, "standby").start, "cold");
  const std::vector<std::string> answers = RightAnswers();
  EXPECT_GT(std::set<std::string>(answers.begin(), answers.end()).size(), 1U)
      << "the model should have something to say";
  EXPECT_EQ(Answers(cold[0], first), answers);

  // Meanwhile a Job is captured, and its weights are saved.
  const std::string id = AwaitCheckpoint();
  ASSERT_FALSE(HasFailure());
  ExpectSaved(id);
  EXPECT_EQ(NamesOf(AwaitReady(1)), NamesOf(cold)) << "who runs is left alone";

  // One more, which comes back from it, both of its engines, with weights through the loader.
  ASSERT_OK(Scale("always-on", 2));
  const std::vector<StoryPod> both = AwaitReady(2);
  const std::vector<StoryPod> restored = Without(both, cold);
  ASSERT_EQ(restored.size(), 1U);
  const StoryPod& warm = restored[0];
  EXPECT_EQ(warm.Label("nvidia.com/snapshot-is-restore-target"), "true");
  EXPECT_EQ(warm.Label("nvidia.com/snapshot-checkpoint-id"), id);
  EXPECT_TRUE(warm.Container("gms-loader").IsObject());
  EXPECT_FALSE(cold[0].Container("gms-loader").IsObject());
  const int active = AwaitServing(warm, 2);
  ASSERT_GE(active, 0);
  for (const int engine : {active, 1 - active}) {
    const EngineState state = AwaitPhase(warm, engine, engine == active ? "serving" : "standby");
    EXPECT_EQ(state.start, "restored");
    // The engine goes on before the agent has told so.
    const std::string told = fmt::format("nvidia.com/snapshot-restore-status.engine-{}", engine);
    EXPECT_TRUE(
        Eventually([&] { return AnnotationsOf(warm.name())[told] == "completed"; }, kEnough))
        << told;
  }
  EXPECT_EQ(Answers(warm, active), answers);
  ExpectProof(cold[0].name(), "");
  ExpectProof(warm.name(), id);

  // The engine that serves is killed; the other one has the same answers.
  const std::string container = fmt::format("engine-{}", active);
  ASSERT_EQ(StoryCluster::KillIn(warm.ContainerId(container), "engine"), 1);
  AwaitPhase(warm, 1 - active, "serving");
  EXPECT_EQ(Answers(warm, 1 - active), answers);
  // And comes back to stand by, as the one before it came.
  EXPECT_EQ(AwaitPhase(warm, active, "standby").start, "restored");
  const std::vector<StoryPod> after = Without(AwaitReady(2), cold);
  ASSERT_EQ(NamesOf(after), NamesOf(restored)) << "the pod stays";
  EXPECT_EQ(after[0].Restarts(container), 1);
  EXPECT_EQ(after[0].Restarts(fmt::format("engine-{}", 1 - active)), 0);
}

TEST_F(Stories, SaversAndLoadersOfUsersTakeThePlaceOfOurs) {
  ASSERT_OK(Apply(ReplaceAll(kAlwaysOn, "$movers",
                             fmt::format(R"(
            saver:
              image: {0}
              command: [/bin/gms-saver, --model, example/tiny, --shard-size-bytes, "4194304"]
              envs: [{{name: GMS_SAVE_WORKERS, value: "2"}}, {{name: GMS_SOCKET_DIR, value: /elsewhere}}]
            loader:
              image: {0}
              command: [/bin/gms-loader, --model, example/tiny, --linger]
              envs: [{{name: GMS_LOAD_WORKERS, value: "3"}}]
)",
                                         StoryCluster::kMoversImage))));
  const std::vector<StoryPod> cold = AwaitReady(1);
  ASSERT_EQ(cold.size(), 1U);
  EXPECT_EQ(Answers(cold[0], AwaitServing(cold[0], 2)), RightAnswers());
  const std::string id = AwaitCheckpoint();
  ASSERT_FALSE(HasFailure());
  ExpectSaved(id);

  ASSERT_OK(Scale("always-on", 2));
  const std::vector<StoryPod> restored = Without(AwaitReady(2), cold);
  ASSERT_EQ(restored.size(), 1U);
  const StoryPod& warm = restored[0];
  const json::View loader = warm.Container("gms-loader");
  EXPECT_TRUE(loader["image"].Equals(StoryCluster::kMoversImage));
  EXPECT_TRUE(loader["command"].at(0).Equals("/bin/gms-loader"));
  EXPECT_THAT(VariablesOf(loader), Contains(testing::Pair("GMS_LOAD_WORKERS", "3")));
  EXPECT_THAT(VariablesOf(loader),
              Contains(testing::Pair("GMS_SOCKET_DIR", "/gms-intrapod-control")));
  // The saver that ran was the user's: it left the name of the model, and pieces of the size that
  // it was told.
  const auto saved = story_->kube().Kubectl({"get", "dynamocheckpoints", "-n", name_space_, "-o",
                                             "jsonpath={.items[0].spec.gpuMemoryService}"});
  ASSERT_OK(saved);
  EXPECT_THAT(*saved, HasSubstr("--shard-size-bytes"));
  EXPECT_THAT(*saved, testing::Not(HasSubstr("loader"))) << "that is the consumer's own";
  EXPECT_GT(FilesBelow("gms/" + id), 4U);
  const int active = AwaitServing(warm, 2);
  ASSERT_GE(active, 0);
  EXPECT_EQ(AwaitPhase(warm, active, "serving").start, "restored");
  EXPECT_EQ(Answers(warm, active), RightAnswers());
  ExpectProof(warm.name(), id);
}

// Memory servers in pods of their own.
constexpr const char* kServersApart = R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: apart, namespace: $namespace}
spec:
  backendFramework: vllm
  components:
    - name: worker
      type: worker
      replicas: 1$worker
      experimental:
        gpuMemoryService:
          mode: InterPod
          checkpoint: {}
        checkpoint: {enabled: true, startupPolicy: WaitForCheckpoint}
)";

TEST_F(Stories, WeightsInPodsOfTheirOwnComeBackBesideRestoredEngines) {
  ASSERT_OK(Apply(kServersApart));
  const std::string id = AwaitCheckpoint();
  ASSERT_FALSE(HasFailure());
  ExpectSaved(id);
  std::vector<StoryPod> before;
  for (const int replicas : {1, 2}) {
    SCOPED_TRACE(replicas);
    ASSERT_OK(Scale("apart", replicas));
    const std::vector<StoryPod> all = AwaitReady(static_cast<size_t>(2 * replicas));
    const std::vector<StoryPod> more = Without(all, before);
    const std::vector<StoryPod> engines = EnginesOf(more);
    ASSERT_EQ(more.size(), 2U);
    ASSERT_EQ(engines.size(), 1U);
    const StoryPod server = Without(more, engines)[0];
    EXPECT_TRUE(server.Container("gms-loader").IsObject()) << "weights are loaded where they stay";
    EXPECT_FALSE(engines[0].Container("gms-loader").IsObject());
    EXPECT_FALSE(engines[0].Container("gms-server").IsObject());
    ASSERT_EQ(AwaitServing(engines[0], 1), 0);
    EXPECT_EQ(AwaitPhase(engines[0], 0, "serving").start, "restored");
    EXPECT_EQ(Answers(engines[0], 0), RightAnswers());
    ExpectProof(engines[0].name(), id);
    before = all;
  }

  // Engines come and go, the weights stay.
  const std::vector<StoryPod> engines = EnginesOf(before);
  const std::vector<StoryPod> servers = Without(before, engines);
  ASSERT_OK(story_->kube().Kubectl({"delete", "pod", engines[0].name(), "-n", name_space_}));
  const std::vector<StoryPod> after = AwaitReady(4);
  const std::vector<StoryPod> again = Without(after, before);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(NamesOf(Without(after, EnginesOf(after))), NamesOf(servers));
  ASSERT_EQ(AwaitServing(again[0], 1), 0);
  EXPECT_EQ(AwaitPhase(again[0], 0, "serving").start, "restored");
  EXPECT_EQ(Answers(again[0], 0), RightAnswers());
}

}  // namespace
}  // namespace hearth::node
