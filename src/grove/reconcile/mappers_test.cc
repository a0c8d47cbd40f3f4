#include "grove/reconcile/mappers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "base/testing/status_matchers.h"
#include "controller/testing/memory_api.h"
#include "controller/testing/pruned.h"
#include "grove/model/labels.h"
#include "kube/client/client.h"

namespace hearth::grove {
namespace {

using json::Value;
using Names = std::set<std::string>;

Value Labelled(const kube::ResourceType& type, const std::string& name, const Labels& labels) {
  Value object = kube::NewObject(type, {"ns", name});
  for (const auto& [key, value] : labels) {
    object.MakePath("metadata.labels").Set(key, value);
  }
  return object;
}

// Two sets of two replicas each: a router, and a group of two replicas of one worker.
class Mappers : public testing::Test {
 protected:
  Mappers() {
    for (const std::string set : {"a", "b"}) {
      for (const std::string i : {"0", "1"}) {
        const std::string group = set + "-" + i + "-g";
        Put(PodCliques(), set + "-" + i + "-router", Of(set, i));
        Put(PodGangs(), set + "-" + i, Of(set, ""));
        for (const std::string j : {"0", "1"}) {
          Labels labels = Of(set, i);
          labels[std::string(kGroupLabel)] = group;
          labels[std::string(kGroupReplicaLabel)] = j;
          Put(PodCliques(), group + "-" + j + "-worker", labels);
          Put(PodGangs(), group + "-" + j, Of(set, ""));
        }
      }
    }
    cliques_.Start();
    gangs_.Start();
    const WaitLimit limit = WaitLimit::For(RealClock(), std::chrono::minutes(1));
    EXPECT_OK(cliques_.WaitForSync(limit));
    EXPECT_OK(gangs_.WaitForSync(limit));
  }
  ~Mappers() override {
    cliques_.Stop();
    gangs_.Stop();
  }

  static Labels Of(const std::string& set, const std::string& i) {
    Labels labels = {{std::string(kPartOfLabel), set}};
    if (!i.empty()) {
      labels[std::string(kSetReplicaLabel)] = i;
    }
    return labels;
  }
  void Put(const kube::ResourceType& type, const std::string& name, const Labels& labels) {
    api_.Put(type, Labelled(type, name, labels));
  }
  static Names Mapped(const controller::Mapper& mapper, const Labels& labels) {
    Names names;
    const auto object = controller::MakeCached(Labelled(kube::types::Pods(), "x", labels).Write());
    mapper(*object, [&](const kube::ObjectKey& key) {
      EXPECT_TRUE(names.insert(key.name).second) << key.name << " is woken twice";
    });
    return names;
  }
  Names CliquesOf(const Labels& claim) {
    return Mapped(MapClaimToCliques(controller::Cached<CliqueFields>(cliques_)), claim);
  }
  controller::Informer Watch(const kube::ResourceType& type, std::vector<controller::Index> more) {
    more.push_back(ByLabelInNamespace(kBySet, kPartOfLabel));
    return {client_,         RealClock(), type,           {},     json::FieldSet::Everything(),
            std::move(more), {},          Logger::Null(), nullptr};
  }

  controller::MemoryApi api_;
  net::EventLoop loop_{"mappers-test"};
  std::unique_ptr<kube::Transport> transport_ = kube::MakeHandlerTransport(loop_, api_.Handler());
  kube::Client client_{*transport_, RealClock()};
  controller::Informer cliques_ =
      Watch(PodCliques(), {CliquesByPlace(), ByLabelInNamespace(kByGang, kGangLabel),
                           ByLabelInNamespace(kByBaseGang, kBaseGangLabel)});
  controller::Informer gangs_ = Watch(PodGangs(), {GangsByReplica()});
};

TEST_F(Mappers, AClaimWakesTheCliquesBelowWhatItIsMadeFor) {
  EXPECT_EQ(CliquesOf(Of("a", "")).size(), 6U) << "of the whole set";
  EXPECT_EQ(CliquesOf(Of("a", "1")), (Names{"a-1-router", "a-1-g-0-worker", "a-1-g-1-worker"}));
  Labels claim = Of("b", "");
  claim[std::string(kGroupLabel)] = "b-0-g";
  EXPECT_EQ(CliquesOf(claim), (Names{"b-0-g-0-worker", "b-0-g-1-worker"}));
  claim[std::string(kGroupReplicaLabel)] = "1";
  EXPECT_EQ(CliquesOf(claim), Names{"b-0-g-1-worker"});
  claim = Of("b", "");
  claim[std::string(kCliqueLabel)] = "b-0-router";
  EXPECT_EQ(CliquesOf(claim), Names{"b-0-router"});
}

TEST_F(Mappers, AGroupWakesTheGangsOfItsReplicaOnly) {
  EXPECT_EQ(Mapped(MapGroupToGangs(controller::Cached<GangFields>(gangs_)), Of("a", "1")),
            (Names{"a-1", "a-1-g-0", "a-1-g-1"}));
}

// An update of a thousand replicas would wake a thousand of them a thousand times.
TEST_F(Mappers, ASetWakesTheCliquesOfTheReplicaWhoseTurnItIs) {
  Value set = kube::NewObject(PodCliqueSets(), {"ns", "a"});
  set.MakePath("status.updateProgress")
      .Set("currentlyUpdating", Value::Array({Value::Object({{"replicaIndex", 1}})}));
  Names names;
  MapSetToUpdatingCliques(controller::Cached<CliqueFields>(cliques_))(
      *controller::MakeCached(set.Write()),
      [&](const kube::ObjectKey& key) { names.insert(key.name); });
  EXPECT_EQ(names, (Names{"a-1-router", "a-1-g-0-worker", "a-1-g-1-worker"}));
}

// Each clique of a base gang, as its pods are scheduled, would wake all that wait for all of them.
TEST_F(Mappers, ACliqueWakesThoseThatWaitOnlyWhenItsWholeGangIsScheduled) {
  const auto put = [&](const std::string& name, std::string_view label, int scheduled) {
    Value clique = Labelled(PodCliques(), name, {{std::string(label), "a-0"}});
    clique.MakePath("spec").Set("replicas", 2);
    clique.MakePath("spec").Set("minAvailable", 2);
    clique.MakePath("status").Set("scheduledReplicas", scheduled);
    const Value stored = api_.Put(PodCliques(), clique);
    const std::string version = stored.FindPath("metadata.resourceVersion")->StringOr("");
    while (cliques_.store().resource_version() < std::stoull(version)) {
      std::this_thread::yield();
    }
  };
  const auto woken = [&] {
    return Mapped(MapToWaitingCliques(controller::Cached<CliqueFields>(cliques_)),
                  {{std::string(kGangLabel), "a-0"}});
  };
  put("base-1", kGangLabel, 2);
  put("base-2", kGangLabel, 1);
  put("waits", kBaseGangLabel, 0);
  EXPECT_EQ(woken(), Names());
  put("base-2", kGangLabel, 2);
  EXPECT_EQ(woken(), Names{"waits"});
}

}  // namespace
}  // namespace hearth::grove
