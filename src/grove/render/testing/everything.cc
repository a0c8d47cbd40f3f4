#include "grove/render/testing/everything.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "grove/render/children.h"
#include "grove/render/gang.h"
#include "grove/render/pod.h"
#include "grove/render/template_hash.h"
#include "grove/render/testing/read.h"
#include "grove/scheduler/backend.h"

namespace hearth::grove {
namespace {

using json::Value;

class Everything {
 public:
  Everything(const SetFacts& set, const Store& store)
      : set_(set), store_(store), backend_(MakeBackend(SchedulerOf(set_, "default-scheduler"))) {}

  std::vector<Value> Render() {
    Add(RenderServiceAccount(set_));
    Add(RenderRole(set_));
    Add(RenderRoleBinding(set_));
    if (NeedsTokenSecret(set_)) {
      Add(RenderTokenSecret(set_));
    }
    for (int32_t i = 0; i < set_.spec.replicas; ++i) {
      RenderReplica(i);
    }
    RenderGangs();
    return std::move(objects_);
  }

 private:
  Value Add(Value object) {
    Value stored = store_(object);
    objects_.push_back(std::move(object));
    return stored;
  }

  void RenderReplica(int32_t i) {
    Add(RenderService(set_, i));
    for (Value& autoscaler : RenderAutoscalers(set_, i)) {
      Add(std::move(autoscaler));
    }
    for (const auto& clique : set_.parts().cliques) {
      if (set_.GroupOf(clique.name) == nullptr) {
        AddClique(RenderClique(set_, clique, i, TemplateHash(set_, clique), std::nullopt));
      }
    }
    for (const auto& group : set_.parts().scaling_groups) {
      const GroupFacts facts = StoredGroup(Add(RenderGroup(set_, group, i, std::nullopt)));
      for (int32_t j = 0; j < facts.replicas; ++j) {
        for (const std::string& name : group.clique_names) {
          const auto& clique = *set_.FindClique(name);
          AddClique(RenderMember(set_, facts, clique, j, TemplateHash(set_, clique), std::nullopt));
        }
      }
    }
  }

  void AddClique(Value object) {
    const Value stored = Add(std::move(object));
    const CliqueFacts clique = StoredClique(stored);
    const json::Blob blob = stored.ToBlob();
    for (int32_t index = 0; index < clique.replicas; ++index) {
      auto pod = RenderPod({set_, clique, blob.view()["spec"]["podSpec"], index,
                            PodName(clique.id.name, next_++), true, "example.com/grove-initc:v1"},
                           *backend_);
      ASSERT_TRUE(pod.ok()) << pod.status().ToString();
      pods_.push_back(StoredPod(Add(*std::move(pod))));
    }
  }

  void RenderGangs() {
    const auto none = [](std::string_view) { return std::optional<int32_t>(); };
    const auto key = [](std::string_view domain) { return "node/" + std::string(domain); };
    std::vector<const PodFacts*> pods;
    for (const PodFacts& pod : pods_) {
      pods.push_back(&pod);
    }
    for (const GangOutline& outline : ExpectedGangs(set_, none, none)) {
      const Value gang = Add(RenderGang(set_, outline, pods, backend_->name(), key));
      if (auto group = backend_->RenderGroup(StoredGang(gang), {})) {
        Add(*std::move(group));
      }
    }
  }

  const SetFacts& set_;
  const Store& store_;
  std::unique_ptr<Backend> backend_;
  uint64_t next_ = 0;
  std::vector<Value> objects_;
  std::vector<PodFacts> pods_;
};

}  // namespace

std::vector<Value> RenderEverything(const SetFacts& set, const Store& store) {
  return Everything(set, store).Render();
}

}  // namespace hearth::grove
