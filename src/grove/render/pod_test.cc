#include "grove/render/pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "grove/render/children.h"
#include "grove/render/testing/read.h"

namespace hearth::grove {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSet = R"(
metadata: {name: s, namespace: ns, uid: set-uid}
spec:
  replicas: 2
  template:
    cliqueStartupType: CliqueStartupTypeExplicit
    priorityClassName: high
    resourceClaimTemplates: [{name: gpu, templateSpec: {spec: {}}}]
    resourceSharing: [{name: gpu, scope: PerReplica}]
    cliques:
    - name: worker
      annotations: {note: kept}
      spec:
        roleName: worker
        replicas: 2
        minAvailable: 2
        podSpec:
          schedulingGates: [{name: mine}]
          initContainers: [{name: prepare, image: i}]
          containers:
          - {name: c, image: i, env: [{name: B, value: b}, {name: GROVE_PCS_NAME, value: mine}, {name: A, value: a}]}
    - name: prefill-worker
      spec:
        roleName: prefill-worker
        replicas: 4
        minAvailable: 3
        podSpec: {priorityClassName: own, containers: [{name: c, image: i}]}
    - name: ldr
      spec: {roleName: ldr, replicas: 1, minAvailable: 1, podSpec: {containers: [{name: c, image: i}]}}
    - name: last
      spec:
        roleName: last
        replicas: 1
        minAvailable: 1
        startsAfter: [prefill-worker, ldr]
        podSpec:
          volumes: [{name: v, emptyDir: {}}]
          initContainers: [{name: prepare, image: i}]
          containers: [{name: c, image: i}]
    podCliqueScalingGroups: [{name: g, cliqueNames: [ldr], replicas: 3, minAvailable: 2}]
)";

class PodTest : public testing::Test {
 protected:
  // Of a clique outside of groups, in replica 1 of the set.
  Value Standalone(const std::string& clique, bool gated = true, int32_t index = 0) {
    return Pod(RenderClique(set_, *set_.FindClique(clique), 1, "c1-h", std::nullopt), gated, index);
  }

  Value Member(const std::string& clique, int32_t j) {
    const GroupFacts group =
        StoredGroup(WithUid(RenderGroup(set_, *set_.FindGroup("g"), 1, std::nullopt), "group-uid"));
    return Pod(RenderMember(set_, group, *set_.FindClique(clique), j, "c1-h", std::nullopt), true,
               0);
  }

  Value Pod(const Value& object, bool gated, int32_t index) {
    auto pod = TryPod(object, gated, index);
    EXPECT_OK(pod);
    return pod.ok() ? *std::move(pod) : Value();
  }

  Result<Value> TryPod(const Value& object, bool gated, int32_t index) {
    const CliqueFacts clique = StoredClique(WithUid(object, "clique-uid"));
    const json::Blob blob = object.ToBlob();
    return RenderPod({set_, clique, blob.view()["spec"]["podSpec"], index, "the-name", gated,
                      "registry/initc:v1"},
                     *MakeBackend("default-scheduler"));
  }

  SetFacts set_ = ReadSet(kSet);
};

std::vector<std::string> Names(const Value& list) {
  std::vector<std::string> names;
  if (list.IsArray()) {
    for (const Value& item : list.items()) {
      names.push_back(At(item, "name").StringOr(""));
    }
  }
  return names;
}

TEST_F(PodTest, CarriesWhoseItIs) {
  const Value pod = Standalone("worker", true, 1);
  EXPECT_EQ(At(pod, "metadata"), ReadYaml(R"(
name: the-name
namespace: ns
labels:
  app.kubernetes.io/component: pcs-podclique
  app.kubernetes.io/managed-by: grove-operator
  app.kubernetes.io/name: s-1-worker
  app.kubernetes.io/part-of: s
  grove.io/pod-template-hash: c1-h
  grove.io/podclique: s-1-worker
  grove.io/podclique-pod-index: "1"
  grove.io/podcliqueset-replica-index: "1"
  grove.io/podgang: s-1
annotations: {note: kept}
ownerReferences:
- {apiVersion: grove.io/v1alpha1, kind: PodClique, name: s-1-worker, uid: clique-uid, controller: true, blockOwnerDeletion: true}
)"));
  EXPECT_EQ(At(pod, "spec.hostname"), Value("s-1-worker-1"));
  EXPECT_EQ(At(pod, "spec.subdomain"), Value("s-1"));
  EXPECT_EQ(At(pod, "spec.schedulerName"), Value("default-scheduler"));
}

TEST_F(PodTest, AnnotationsAboutTheCliqueObjectStayThere) {
  Value clique = RenderClique(set_, *set_.FindClique("worker"), 1, "c1-h", std::nullopt);
  clique["metadata"]["annotations"].Set("hearth.dev/applied", "0123");
  clique["metadata"]["annotations"].Set("kubectl.kubernetes.io/last-applied-configuration", "{}");
  EXPECT_EQ(At(Pod(clique, true, 0), "metadata.annotations"), ReadYaml("{note: kept}"));
}

TEST_F(PodTest, OurGateIsAddedToTheUsers) {
  EXPECT_THAT(Names(At(Standalone("worker"), "spec.schedulingGates")),
              ElementsAre("mine", "grove.io/podgang-pending-creation"));
  EXPECT_THAT(Names(At(Standalone("worker", false), "spec.schedulingGates")), ElementsAre("mine"));
  EXPECT_EQ(At(Standalone("prefill-worker", false), "spec.schedulingGates"), Value());
}

TEST_F(PodTest, HasTheSetsPriorityUnlessItHasItsOwn) {
  EXPECT_EQ(At(Standalone("worker"), "spec.priorityClassName"), Value("high"));
  EXPECT_EQ(At(Standalone("prefill-worker"), "spec.priorityClassName"), Value("own"));
  set_.spec.set_template.priority_class_name.clear();
  EXPECT_EQ(At(Standalone("worker"), "spec.priorityClassName"), Value());
}

TEST_F(PodTest, OurVariablesComeFirst) {
  const Value pod = Standalone("worker", true, 1);
  Value expected = ReadYaml(R"(
- {name: GROVE_PCS_NAME, value: s}
- {name: GROVE_PCS_INDEX, value: "1"}
- {name: GROVE_PCLQ_NAME, value: s-1-worker}
- {name: GROVE_HEADLESS_SERVICE, value: s-1.ns.svc.cluster.local}
- {name: GROVE_PCLQ_POD_INDEX, valueFrom: {fieldRef: {fieldPath: "metadata.labels['grove.io/podclique-pod-index']"}}}
)");
  EXPECT_EQ(At(pod, "spec.initContainers.0.env"), expected);
  expected.Append(ReadYaml("{name: B, value: b}"));
  expected.Append(ReadYaml("{name: A, value: a}"));
  EXPECT_EQ(At(pod, "spec.containers.0.env"), expected);
}

TEST_F(PodTest, InAGroupThoseOfTheGroupFollow) {
  EXPECT_THAT(Names(At(Member("ldr", 0), "spec.containers.0.env")),
              ElementsAre("GROVE_PCS_NAME", "GROVE_PCS_INDEX", "GROVE_PCLQ_NAME",
                          "GROVE_HEADLESS_SERVICE", "GROVE_PCLQ_POD_INDEX", "GROVE_PCSG_NAME",
                          "GROVE_PCSG_TEMPLATE_NUM_PODS", "GROVE_PCSG_INDEX"));
}

TEST_F(PodTest, BeyondTheMinimumItNamesBothGangs) {
  const Value labels = At(Member("ldr", 2), "metadata.labels");
  EXPECT_EQ(*labels.Find("grove.io/podgang"), Value("s-1-g-0"));
  EXPECT_EQ(*labels.Find("grove.io/base-podgang"), Value("s-1"));
}

// The counts are those of exactly these cliques: "worker" is how "prefill-worker" ends.
TEST_F(PodTest, WaitsForItsParentsLast) {
  const Value pod = Standalone("last");
  EXPECT_EQ(At(pod, "spec.volumes"), ReadYaml(R"(
- {name: v, emptyDir: {}}
- {name: sa-token-secret-vol, secret: {secretName: s-ic-sat, defaultMode: 420}}
- name: pod-info-vol
  downwardAPI:
    items:
    - {path: namespace, fieldRef: {fieldPath: metadata.namespace}}
    - {path: podgangname, fieldRef: {fieldPath: "metadata.labels['grove.io/podgang']"}}
)"));
  EXPECT_THAT(Names(At(pod, "spec.initContainers")), ElementsAre("prepare", "grove-initc"));
  EXPECT_EQ(At(pod, "spec.initContainers.1"), ReadYaml(R"(
name: grove-initc
image: registry/initc:v1
args: ["--podcliques=s-1-prefill-worker:3", "--podcliques=s-1-g-0-ldr:1", "--podcliques=s-1-g-1-ldr:1"]
volumeMounts:
- {name: pod-info-vol, readOnly: true, mountPath: /var/grove/pod-info}
- {name: sa-token-secret-vol, readOnly: true, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}
)"));
}

TEST_F(PodTest, ClaimsGoIntoTheUsersContainersOnly) {
  const Value pod = Standalone("last");
  EXPECT_EQ(At(pod, "spec.resourceClaims"),
            ReadYaml("[{name: s-1-gpu, resourceClaimName: s-1-gpu}]"));
  EXPECT_EQ(At(pod, "spec.containers.0.resources.claims"), ReadYaml("[{name: s-1-gpu}]"));
  EXPECT_EQ(At(pod, "spec.initContainers.0.resources.claims"), ReadYaml("[{name: s-1-gpu}]"));
  EXPECT_EQ(At(pod, "spec.initContainers.1.resources"), Value());
}

TEST_F(PodTest, ACliqueThatDoesNotFitItsSetIsAnError) {
  Value clique = RenderClique(set_, *set_.FindClique("worker"), 1, "h", std::nullopt);
  clique["spec"].Set("startsAfter", Value::Array({"s-1-nobody"}));
  EXPECT_THAT(TryPod(clique, true, 0).status().message(), HasSubstr("s-1-nobody"));
  clique["metadata"].Set("name", "s-1-unknown");
  EXPECT_TRUE(TryPod(clique, true, 0).status().Is(Code::kInvalid));
}

TEST(PodName, LooksLikeOneThatAnApiServerMade) {
  EXPECT_EQ(PodName("s-0-w", 0), "s-0-w-bbbbb");
  EXPECT_EQ(PodName("s-0-w", 1), "s-0-w-cbbbb");
  EXPECT_EQ(PodName("s-0-w", uint64_t{27} * 27 * 27 * 27 * 27 - 1), "s-0-w-99999");
  EXPECT_EQ(PodName("s-0-w", ~uint64_t{0}).size(), 11U);
  // As long as a name may be, as an API server would cut it.
  EXPECT_EQ(PodName(std::string(80, 'a'), 0), std::string(58, 'a') + "bbbbb");
}

}  // namespace
}  // namespace hearth::grove
