// The webhooks, asked by a real API server.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "admission/certificates/internal/cluster.h"
#include "admission/certificates/keyring.h"
#include "admission/door/door.h"
#include "admission/pod_restore/contract.h"
#include "api/catalog/catalog.h"
#include "base/base64.h"
#include "base/guarded.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "eventually.h"
#include "http/client.h"
#include "json/yaml.h"
#include "net/certificate_facts.h"
#include "schema/prepare.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/start_proof.h"
#include "webhook_rig.h"

namespace hearth {
namespace {

using admission::Findings;
using admission::KindRules;
using admission::Request;
using admission::Rule;
using admission::certificates::Keyring;
using json::Value;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr Rule kForbiddenName{"test-forbidden-name", "for the test"};

void Mark(Value& object, const Request& request) {
  Value& mark = object.MakePath("metadata.annotations")["test.hearth.dev/marked"];
  if (mark.IsNull()) {
    mark = request.operation == admission::Operation::kCreate ? "created" : "updated";
  }
}

void CheckName(const Value& object, const Request& request, Findings& findings) {
  const Value& name = *object.FindPath("spec.components")->items()[0].Find("name");
  if (name.string() == "forbidden") {
    findings.Add(kForbiddenName, schema::Invalid(schema::FieldPath::Base("spec.components[0].name"),
                                                 name, "this name is not allowed; take another"));
  }
  if (request.old != nullptr &&
      name != *request.old->FindPath("spec.components")->items()[0].Find("name")) {
    findings.Add(kForbiddenName, schema::Invalid(schema::FieldPath::Base("spec.components[0].name"),
                                                 name, "field is immutable"));
  }
  if (name.string() == "odd") {
    findings.Warn({.text = "an odd name"});
  }
}

const KindRules kGraphRules{"nvidia.com", "v1beta1", "DynamoGraphDeployment",
                            Mark,         CheckName, {&kForbiddenName}};

// Much of what only v1alpha1 can say.
constexpr std::string_view kRichGraph = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: rich}
spec:
  backendFramework: vllm
  labels: {team: a}
  envs: [{name: DYN_LOG, value: info}]
  pvcs: [{name: models, create: true, size: 200Gi, storageClass: fast, volumeAccessMode: ReadWriteMany}]
  topologyConstraint: {topologyProfile: dc, packDomain: zone}
  services:
    Frontend:
      componentType: frontend
      dynamoNamespace: old
      globalDynamoNamespace: true
      autoscaling: {enabled: true, minReplicas: 1, maxReplicas: 3}
      ingress: {enabled: true, host: llm.example.com, labels: {a: b}}
      envFromSecret: token
      extraPodMetadata: {labels: {tier: web}, annotations: {example.com/a: b}}
      extraPodSpec: {mainContainer: {image: "example/frontend:1"}}
    worker:
      serviceName: other
      componentType: worker
      subComponentType: decode
      replicas: 2
      resources:
        requests: {cpu: "4"}
        limits: {gpu: "2", gpuType: nvidia.com/gpu, memory: 64Gi, custom: {rdma/ib: "1"}}
      envs: [{name: B, value: $(A)}, {name: A, value: "1"}]
      volumeMounts:
        - {name: models, mountPoint: /models}
        - {name: cache, useAsCompilationCache: true}
      sharedMemory: {size: 16Gi}
      livenessProbe: {httpGet: {path: /live, port: 9090}, periodSeconds: 10}
      multinode: {nodeCount: 2}
      scalingAdapter: {enabled: false}
      frontendSidecar: {image: "example/frontend:1", args: [--quiet], envs: [{name: C, value: d}]}
      gpuMemoryService: {enabled: true, mode: intraPod, checkpoint: {saver: {image: "example/saver:1"}}}
      failover: {enabled: false, numShadows: 3}
      checkpoint: {enabled: true, identity: {model: llama, backendFramework: vllm}}
      extraPodSpec:
        tolerations: [{key: nvidia.com/gpu, operator: Exists}]
        containers: [{name: side, image: "example/side:1", ports: [{containerPort: 80, protocol: TCP}]}]
        mainContainer: {image: "example/vllm:1", command: [python3], args: [-m, dynamo.vllm], env: [{name: E, value: f}]}
)";

// As an API server shows it that has filled in what the schema knows.
Value Prepared(Value object) {
  const auto* kind =
      api::FindKind(object.Find("apiVersion")->string(), object.Find("kind")->string());
  EXPECT_OK(schema::Prepare(object, *kind->version.schema));
  return object;
}

// The cluster is set up once: the operator's namespace, and the port where its webhooks are. Each
// test starts a replica there.
class Webhooks : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string why_not;
    kube::TestControlPlane* plane = kube::SharedControlPlane(&why_not);
    if (plane == nullptr || port_ != 0) {
      return;  // also for the suites that are derived from this one: once
    }
    InstallDefinitions(*plane);
    const auto name_space = plane->NewNamespace("operator");
    ASSERT_OK(name_space);
    operator_namespace_ = *name_space;
    WebhookRig rig(*plane, operator_namespace_, Options());
    rig.Start();
    rig.Register();
    ASSERT_TRUE(rig.AwaitAdmission());
    port_ = rig.port();
  }
  void SetUp() override {
    std::string why_not;
    plane_ = kube::SharedControlPlane(&why_not);
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    const auto name_space = plane_->NewNamespace("webhooks");
    ASSERT_OK(name_space);
    name_space_ = *name_space;
  }

  static WebhookRigOptions Options() {
    WebhookRigOptions options;
    options.operator_namespace = operator_namespace_;
    options.port = port_;
    options.services.find_rules = [](std::string_view, std::string_view kind) -> const KindRules* {
      return kind == kGraphRules.kind ? &kGraphRules : nullptr;
    };
    // Longer than a busy API server takes to see a bundle that was put in.
    options.keeper.settle = seconds(5);
    options.keeper.url_prefix = "https://127.0.0.1:";
    return options;
  }
  std::unique_ptr<WebhookRig> NewRig(WebhookRigOptions options) {
    return std::make_unique<WebhookRig>(*plane_, name_space_, std::move(options));
  }
  std::unique_ptr<WebhookRig> RunningRig(WebhookRigOptions options = Options()) {
    auto rig = NewRig(std::move(options));
    rig->Start();
    rig->AwaitAdmission();
    return rig;
  }
  static kube::ObjectKey Secret() { return {operator_namespace_, "webhook-server-cert"}; }
  static Keyring Stored(WebhookRig& rig) {
    const auto object = rig.client().Get(kube::types::Secrets(), Secret(), rig.Limit());
    return object.ok() ? Keyring::From(object->view()) : Keyring();
  }
  // What kubectl says about a manifest, be it taken or not.
  std::string Kubectl(const std::string& verb, const Value& object) {
    const std::string file = directory_.path() + "/manifest.yaml";
    EXPECT_OK(RealFileSystem().Write(file, json::WriteYaml(object), 0600));
    const auto said = plane_->Kubectl({verb, "-f", file});
    return said.ok() ? *said : said.status().ToString();
  }

  static inline std::string operator_namespace_;
  static inline uint16_t port_ = 0;
  kube::TestControlPlane* plane_ = nullptr;
  std::string name_space_;
  TempDirectory directory_;
};

TEST_F(Webhooks, SetDefaultsAndRefuseInOurWords) {
  const auto rig = RunningRig();
  EXPECT_THAT(Kubectl("create", rig->Graph("good")), HasSubstr("created"));
  ASSERT_OK_AND_ASSIGN(const auto good,
                       rig->client().Get(GraphDeployments(), {name_space_, "good"}, rig->Limit()));
  EXPECT_EQ(good.meta().annotation("test.hearth.dev/marked"), "created");

  EXPECT_THAT(Kubectl("create", rig->Graph("bad", "forbidden")),
              HasSubstr("The DynamoGraphDeployment \"bad\" is invalid: spec.components[0].name: "
                        "Invalid value: \"forbidden\": this name is not allowed; take another"));
  const auto refused = rig->Create(GraphDeployments(), rig->Graph("bad", "forbidden"));
  EXPECT_CODE(Code::kInvalid, refused);
  EXPECT_EQ(refused.status().http_code(), 422);
  EXPECT_THAT(refused.status().message(),
              HasSubstr("admission webhook \"vdynamographdeployment.kb.io\" denied the request: "
                        "DynamoGraphDeployment.nvidia.com \"bad\" is invalid: "));
  ASSERT_EQ(refused.status().causes().size(), 1U);
  EXPECT_EQ(refused.status().causes()[0].field, "spec.components[0].name");

  EXPECT_THAT(Kubectl("apply", rig->Graph("good", "renamed")), HasSubstr("field is immutable"));
}

TEST_F(Webhooks, ConvertBothWays) {
  const auto rig = RunningRig();
  Value alpha = json::ParseYamlDocument(kRichGraph).value();
  alpha["metadata"]["namespace"] = name_space_;
  const Value sent = Prepared(alpha);
  const auto read = [&](const char* version) {
    const auto object =
        rig->client().Get(GraphDeployments(version), {name_space_, "rich"}, rig->Limit());
    EXPECT_OK(object);
    return object.ok() ? object->ToValue() : Value();
  };
  EXPECT_THAT(Kubectl("apply", alpha), HasSubstr("created"));

  const Value beta = read("v1beta1");
  const Value wanted = Prepared(api::conversion::Convert(sent, "v1beta1").value());
  EXPECT_EQ(*beta.Find("spec"), *wanted.Find("spec"));
  const Value& worker = beta.FindPath("spec.components")->items()[1];
  EXPECT_EQ(*worker.Find("name"), Value("worker"));
  EXPECT_EQ(*worker.Find("type"), Value("decode"));
  EXPECT_EQ(*worker.FindPath("experimental.gpuMemoryService.mode"), Value("IntraPod"));
  EXPECT_EQ(*beta.FindPath("metadata.annotations")->Find("test.hearth.dev/marked"),
            Value("created"))
      << "also what comes in another version passes the webhooks";
  EXPECT_EQ(*read("v1alpha1").Find("spec"), *sent.Find("spec"));

  // N2: a client of the newer version that writes what it read loses nothing, and its changes win.
  const kube::ObjectKey key{name_space_, "rich"};
  const json::Blob unchanged = beta.ToBlob();
  ASSERT_OK(rig->client().Update(GraphDeployments(), key, unchanged.view(), rig->Limit()));
  EXPECT_EQ(*read("v1alpha1").Find("spec"), *sent.Find("spec"));
  ASSERT_OK(
      kube::UpdateWithRetry(rig->client(), GraphDeployments(), key, rig->Limit(), [](Value& graph) {
        graph["spec"]["components"].items()[1]["replicas"] = 5;
        return Status::Ok();
      }));
  Value scaled = sent;
  scaled["spec"]["services"]["worker"]["replicas"] = 5;
  EXPECT_EQ(*read("v1alpha1").Find("spec"), *scaled.Find("spec"));
}

// N2
TEST_F(Webhooks, WhatIsAppliedUnchangedStaysAsItIs) {
  const auto rig = RunningRig();
  Value alpha = json::ParseYamlDocument(kRichGraph).value();
  alpha["metadata"]["namespace"] = name_space_;
  const auto read = [&] {
    const auto object = rig->client().Get(GraphDeployments(), {name_space_, "rich"}, rig->Limit());
    EXPECT_OK(object);
    return object.ok() ? object->ToValue() : Value();
  };
  EXPECT_THAT(Kubectl("apply", alpha), HasSubstr("created"));
  const Value before = read();
  EXPECT_EQ(*before.FindPath("metadata.generation"), Value(1));
  // kubectl sends lists whole where the schema has filled something in; the object is the same.
  for (const char* verb : {"apply", "apply", "replace"}) {
    EXPECT_THAT(Kubectl(verb, alpha), testing::Not(HasSubstr("rror")));
    const Value after = read();
    EXPECT_EQ(*after.FindPath("metadata.generation"), Value(1)) << verb;
    EXPECT_EQ(*after.Find("spec"), *before.Find("spec")) << verb;
  }
  EXPECT_THAT(Kubectl("apply", Prepared(alpha)), HasSubstr("configured"));
  EXPECT_THAT(Kubectl("apply", Prepared(alpha)), HasSubstr("unchanged"));
  EXPECT_EQ(*read().FindPath("metadata.generation"), Value(1));
}

TEST_F(Webhooks, ConvertLists) {
  const auto rig = RunningRig();
  ASSERT_OK(rig->Create(GraphDeployments(), rig->Graph("one")));
  ASSERT_OK(rig->Create(GraphDeployments(), rig->Graph("two")));
  ASSERT_OK_AND_ASSIGN(const auto old,
                       rig->client().List(GraphDeployments("v1alpha1"), name_space_, rig->Limit()));
  ASSERT_EQ(old.items.size(), 2U);
  EXPECT_TRUE(old.items[0].view()["spec"]["services"]["worker"].IsObject())
      << old.items[0].view().raw();
}

Value MergePatch(std::string_view path, Value value) {
  Value patch = Value::Object();
  patch.MakePath(path) = std::move(value);
  return patch;
}

// One object that cannot be read as v1alpha1 would keep everybody from listing any.
class HostileGraphs : public Webhooks {
 protected:
  void SetUp() override {
    Webhooks::SetUp();
    if (plane_ != nullptr) {
      WebhookRigOptions options = Options();
      options.services.find_rules = admission::FindRules;
      rig_ = RunningRig(std::move(options));
    }
  }

  Value Graph(const std::string& name) const {
    Value graph = rig_->Graph(name);
    Container(graph, "main");
    return graph;
  }
  static Value& Container(Value& graph, const std::string& name) {
    Value& containers =
        graph["spec"]["components"].items()[0].MakePath("podTemplate.spec")["containers"];
    containers.Append(Value::Object({{"name", name}, {"image", "example/image:1"}}));
    return containers.items().back();
  }
  // What v1alpha1 has no word for, and the conversion keeps.
  static Value& Sidecar(Value& graph) {
    graph["spec"]["components"].items()[0].Set("frontendSidecar", "sidecar-frontend");
    return Container(graph, "sidecar-frontend");
  }
  Status Patch(const std::string& name, const Value& patch, const std::string& subresource = "") {
    const json::Blob body = patch.ToBlob();
    return rig_->client()
        .Patch(GraphDeployments(), {name_space_, name}, kube::PatchType::kMerge, body.view(),
               WebhookRig::Limit(), {.subresource = subresource})
        .status();
  }
  // Of all namespaces, as everybody sees them.
  void ExpectListed(const std::string& name) {
    const auto listed = rig_->client().List(GraphDeployments("v1alpha1"), "", WebhookRig::Limit());
    ASSERT_OK(listed);
    EXPECT_TRUE(std::any_of(listed->items.begin(), listed->items.end(), [&](const auto& graph) {
      return graph.meta().name() == name && graph.meta().name_space() == name_space_;
    })) << name;
  }

  std::unique_ptr<WebhookRig> rig_;
};

TEST_F(HostileGraphs, NeedNoMoreAnnotationsThanAServerTakes) {
  Value large = Graph("large");
  Sidecar(large).Set("command", Value::Array({std::string(300'000, 'x')}));
  EXPECT_THAT(rig_->Create(GraphDeployments(), large).status().message(),
              HasSubstr("containers[sidecar-frontend].command: Forbidden: the other version has no "
                        "word for this"));
  Value crowded = Graph("crowded");
  Sidecar(crowded).Set("command", Value::Array({"run"}));
  crowded["metadata"]["annotations"].Set("note", std::string(262'000, 'n'));
  EXPECT_THAT(rig_->Create(GraphDeployments(), crowded).status().message(),
              HasSubstr("262004 bytes of other annotations"));
  Value old = kube::NewObject(GraphDeployments("v1alpha1"), {name_space_, "old"});
  old.MakePath("spec.services.worker.componentType") = "worker";
  old.MakePath("spec.services.worker.annotations.note") = std::string(300'000, 'n');
  EXPECT_THAT(rig_->Create(GraphDeployments("v1alpha1"), old).status().message(),
              HasSubstr("spec.services.worker.annotations.note: the other version has no word"));
  // As much as fits is taken, and read.
  Value full = Graph("full");
  Sidecar(full).Set("command", Value::Array({std::string(200'000, 'x')}));
  full["metadata"]["annotations"].Set("note", std::string(61'000, 'n'));
  ASSERT_OK(rig_->Create(GraphDeployments(), full));
  ExpectListed("full");
}

TEST_F(HostileGraphs, AreReadWhenTheDefinitionsTakeThem) {
  Value odd = Graph("odd");
  Sidecar(odd).MakePath("resources.limits.cpu") = "1e1.5";
  ASSERT_OK(rig_->Create(GraphDeployments(), odd));
  ExpectListed("odd");
}

TEST_F(HostileGraphs, StayReadableWhileTheyAreDeleted) {
  Value kept = Value::Object();
  Value& service = kept["services"]["worker"];
  for (size_t i = 0; i < 5'800; ++i) {
    service["volumeMounts"].Append(Value::Object({{"useAsCompilationCache", true}}));
    service["extraPodSpec"]["gone" + std::to_string(i)] = 1;
  }
  Value going = Graph("going");
  going["metadata"]["finalizers"] = Value::Array({"example.com/hold"});
  ASSERT_OK(rig_->Create(GraphDeployments(), going));
  ASSERT_OK(rig_->client().Delete(GraphDeployments(), {name_space_, "going"}, WebhookRig::Limit()));
  Value annotations = Value::Object();
  annotations.Set("nvidia.com/dgd-spec", kept.Write());
  EXPECT_THAT(Patch("going", MergePatch("metadata.annotations", annotations)).message(),
              HasSubstr("annotation nvidia.com/dgd-spec: keeps so much"));
  ExpectListed("going");
  EXPECT_OK(Patch("going", MergePatch("metadata.finalizers", Value())));
}

TEST_F(HostileGraphs, AreReadWhateverTheirStatus) {
  ASSERT_OK(rig_->Create(GraphDeployments(), Graph("busy")));
  Value component =
      Value::Object({{"componentKind", "Deployment"}, {"replicas", 1}, {"updatedReplicas", 1}});
  component["componentNames"].Append("x");
  Value components = Value::Object();
  components.Set(std::string(254, 'c'), component);
  ASSERT_OK(Patch("busy", MergePatch("status.components", components), "status"));
  ExpectListed("busy");
  // More values than anybody admits.
  for (size_t i = 1; i < 410'000; ++i) {
    component["componentNames"].Append("");
  }
  components.Set("worker", component);
  ASSERT_OK(Patch("busy", MergePatch("status.components", components), "status"));
  ExpectListed("busy");
}

TEST_F(HostileGraphs, DoNotGrowBeyondWhatCanBeCreated) {
  ASSERT_OK(rig_->Create(GraphDeployments(), Graph("growing")));
  Value grown = Graph("growing");
  Value& args =
      grown["spec"]["components"].items()[0].MakePath("podTemplate.spec")["containers"].items()[0];
  for (size_t i = 0; i < 250'000; ++i) {
    args["args"].Append("");
  }
  EXPECT_THAT(Patch("growing", MergePatch("spec", *grown.Find("spec"))).message(),
              HasSubstr("it has more than 200000 values"));
  ExpectListed("growing");
}

// W28
TEST_F(Webhooks, AnOverwrittenBundleIsPutRight) {
  const auto rig = RunningRig();
  const auto& type = admission::certificates::internal::ValidatingConfigurations();
  const kube::ObjectKey key{"", "hearth-validating"};
  const auto bundle = [&]() -> std::string {
    const auto found = rig->client().Get(type, key, rig->Limit());
    return found.ok() ? found->view()["webhooks"].at(0)["clientConfig"]["caBundle"].StringOr("")
                      : "";
  };
  const std::string good = bundle();
  ASSERT_FALSE(good.empty());
  const auto other = net::MakeCertificate({.common_name = "x", .is_ca = true}, RealClock()).value();
  const auto overwritten =
      kube::UpdateWithRetry(rig->client(), type, key, rig->Limit(), [&](Value& configuration) {
        for (Value& webhook : configuration["webhooks"].items()) {
          webhook["clientConfig"]["caBundle"] = EncodeBase64(other.certificate_pem);
        }
        return Status::Ok();
      });
  ASSERT_OK(overwritten);
  EXPECT_TRUE(Eventually([&] { return bundle() == good; }));
  EXPECT_TRUE(rig->AwaitAdmission());
}

// Graphs that are created through a replica all the time, by three clients.
class Load {
 public:
  explicit Load(WebhookRig& rig) {
    for (int i = 0; i < 3; ++i) {
      threads_.emplace_back([this, &rig, i](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          const auto created =
              rig.Create(GraphDeployments(), rig.Graph("load-" + std::to_string(i)), true);
          ++sent_;
          if (!created.ok()) {
            failures_.Lock()->push_back(created.status().ToString());
          }
        }
      });
    }
  }

  int sent() const { return sent_; }
  // What went wrong.
  std::vector<std::string> Finish() {
    threads_.clear();
    return *failures_.Lock();
  }

 private:
  std::atomic<int> sent_ = 0;
  Guarded<std::vector<std::string>> failures_;
  std::vector<std::jthread> threads_;
};

TEST_F(Webhooks, AnAuthorityIsFollowedUnderLoadWithoutAFailedRequest) {
  WebhookRigOptions options = Options();
  options.keeper.periods.previous_stays = seconds(10);
  const auto rig = RunningRig(std::move(options));
  Load load(*rig);
  const Keyring before = Stored(*rig);
  // An authority that cannot sign any more must be followed.
  ASSERT_OK(kube::UpdateWithRetry(rig->client(), kube::types::Secrets(), Secret(), rig->Limit(),
                                  [](Value& object) {
                                    object["data"].Erase("ca.key");
                                    return Status::Ok();
                                  }));
  EXPECT_TRUE(Eventually([&] {
    const Keyring now = Stored(*rig);
    return now.authority != before.authority && now.previous_authority.empty();
  }));
  // The last change of the bundle makes the API server connect anew, believing only the new one.
  const int so_far = load.sent();
  EXPECT_TRUE(Eventually([&] { return load.sent() > so_far + 50; }));
  EXPECT_THAT(load.Finish(), testing::IsEmpty());
  EXPECT_OK(rig->server().Ready());
}

// Whether a client that believes this authority only takes what the replica shows.
bool ShowsWhatIsSignedBy(WebhookRig& rig, const std::string& authority) {
  net::EventLoop loop("ask");
  http::Client client(loop, *rig.server().endpoint(),
                      net::TlsContext::Create({.ca_pem = authority}, {}).value());
  const auto answer = client.Send({.target = "/"}, WebhookRig::Limit());
  return answer.ok() && answer->status == 404;
}

// One replica shows what the old Secret held, another makes a new one.
TEST_F(Webhooks, ASecretIsLostUnderLoadWithoutAFailedRequest) {
  const auto rig = RunningRig();
  const Keyring before = Stored(*rig);
  Load load(*rig);
  ASSERT_OK(rig->client().Delete(kube::types::Secrets(), Secret(), rig->Limit()));
  WebhookRigOptions options = Options();
  options.port = 0;
  const auto newcomer = NewRig(std::move(options));
  newcomer->Start();
  EXPECT_TRUE(Eventually([&] {
    const Keyring now = Stored(*rig);
    return now.authority != before.authority && ShowsWhatIsSignedBy(*rig, now.authority) &&
           ShowsWhatIsSignedBy(*newcomer, now.authority);
  }));
  const int so_far = load.sent();
  EXPECT_TRUE(Eventually([&] { return load.sent() > so_far + 50; }));
  EXPECT_THAT(load.Finish(), testing::IsEmpty());
}

Value Pod(const std::string& name_space, const std::string& name) {
  Value pod = kube::NewObject(kube::types::Pods(), {name_space, name});
  pod.MakePath("spec.containers") =
      Value::Array({Value::Object({{"name", "main"}, {"image", "i"}})});
  return pod;
}

Value LabelledPod(const std::string& name_space, const std::string& name) {
  Value pod = Pod(name_space, name);
  for (const std::string_view label : admission::pod_restore::kOperatorLabels) {
    pod["metadata"]["labels"][label] = "x";
  }
  return pod;
}

void MakeCandidate(Value& pod) {
  Value& annotations = pod["metadata"]["annotations"];
  annotations[admission::pod_restore::kCandidateAnnotation] = "true";
  annotations[admission::pod_restore::kCheckpointAnnotation] = "checkpoint-abc";
  annotations[snapshot::kTargetsAnnotation] = "main";
}

// W12, V7, A110
TEST_F(Webhooks, PodsThatAreNoCandidatesNeverReachUs) {
  WebhookRigOptions options = Options();
  options.services.restore
      .read_checkpoint = [](const admission::pod_restore::Candidate& candidate) {
    return admission::pod_restore::CheckpointFacts{candidate.checkpoint, "Ready", Value::Object()};
  };
  options.services.restore.shape =
      [](Value pod, const admission::pod_restore::Restore& restore) -> Result<Value> {
    pod["metadata"]["labels"][snapshot::kCheckpointIdLabel] = restore.targets[0];
    return pod;
  };
  const auto rig = RunningRig(std::move(options));

  Value forged = Pod(name_space_, "forged");
  MakeCandidate(forged);
  Value shaped = LabelledPod(name_space_, "shaped");
  MakeCandidate(shaped);
  shaped["metadata"]["labels"][snapshot::kCheckpointIdLabel] = "x";
  Value declined = LabelledPod(name_space_, "declined");
  MakeCandidate(declined);
  declined["metadata"]["annotations"][admission::pod_restore::kCandidateAnnotation] = "false";
  for (const Value& pod : {Pod(name_space_, "plain"), LabelledPod(name_space_, "labelled"), forged,
                           shaped, declined}) {
    ASSERT_OK(rig->Create(kube::types::Pods(), pod));
  }
  EXPECT_EQ(rig->Requests(admission::webhook::kRestorePodPath), 0);

  Value candidate = LabelledPod(name_space_, "candidate");
  MakeCandidate(candidate);
  ASSERT_OK_AND_ASSIGN(const auto restored, rig->Create(kube::types::Pods(), candidate));
  EXPECT_EQ(rig->Requests(admission::webhook::kRestorePodPath), 1);
  EXPECT_EQ(restored.meta().label(snapshot::kCheckpointIdLabel), "main");
}

// W12, P5
TEST_F(Webhooks, APodThatStartsColdInsteadSaysWhy) {
  WebhookRigOptions options = Options();
  options.services.restore.read_checkpoint =
      [](const admission::pod_restore::Candidate& candidate) {
        return admission::pod_restore::CheckpointFacts{candidate.checkpoint, "Creating",
                                                       Value::Object()};
      };
  const auto rig = RunningRig(std::move(options));
  Value candidate = LabelledPod(name_space_, "early");
  MakeCandidate(candidate);
  candidate["metadata"]["annotations"][snapshot::kRestoredFromAnnotation] = "forged/1";
  ASSERT_OK_AND_ASSIGN(const auto cold, rig->Create(kube::types::Pods(), candidate));
  EXPECT_EQ(cold.meta().annotation(snapshot::kStartAnnotation), "cold");
  EXPECT_EQ(cold.meta().annotation(snapshot::kStartReasonAnnotation), "not_ready");
  EXPECT_EQ(cold.meta().annotation(snapshot::kRestoredFromAnnotation), std::nullopt);
}

TEST_F(Webhooks, WhileNobodyAnswersObjectsAreRefusedClearlyAndPodsStart) {
  auto rig = RunningRig();
  rig->Stop();
  const auto refused = rig->Create(GraphDeployments(), rig->Graph("down"));
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(refused.status().ToString(),
              HasSubstr("failed calling webhook \"mdynamographdeployment.kb.io\""));
  Value candidate = LabelledPod(name_space_, "candidate");
  MakeCandidate(candidate);
  EXPECT_OK(rig->Create(kube::types::Pods(), candidate));
  EXPECT_OK(rig->Create(kube::types::ConfigMaps(),
                        kube::NewObject(kube::types::ConfigMaps(), {name_space_, "m"})));
  rig = RunningRig();
  EXPECT_OK(rig->Create(GraphDeployments(), rig->Graph("up")));
}

TEST_F(Webhooks, BootWithEveryConfigurationInPlaceAndNoCertificate) {
  auto rig = RunningRig();
  rig->Stop();
  ASSERT_OK(rig->client().Delete(kube::types::Secrets(), Secret(), rig->Limit()));
  rig->Register();  // as a first installation: no bundle anywhere
  rig = RunningRig();
  EXPECT_OK(rig->keeper().Ready());
}

TEST_F(Webhooks, ReplicasThatStartTogetherShowWhatIsBelieved) {
  WebhookRigOptions options = Options();
  options.port = 0;
  options.keeper.url_prefix.clear();  // the conversions are another operator's
  ASSERT_OK_AND_ASSIGN(options.operator_namespace, plane_->NewNamespace("operator"));
  std::vector<std::unique_ptr<WebhookRig>> rigs;
  for (int i = 0; i < 3; ++i) {
    rigs.push_back(NewRig(options));
  }
  std::vector<std::jthread> starts;
  for (const auto& rig : rigs) {
    starts.emplace_back([&rig] { rig->Start(); });
  }
  starts.clear();
  const auto stored =
      rigs[0]->client().Get(kube::types::Secrets(),
                            {options.operator_namespace, "webhook-server-cert"}, rigs[0]->Limit());
  ASSERT_OK(stored);
  const std::string authority = Keyring::From(stored->view()).authority;
  for (const auto& rig : rigs) {
    EXPECT_TRUE(ShowsWhatIsSignedBy(*rig, authority));
  }
}

}  // namespace
}  // namespace hearth
