#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grove/model/facts.h"
#include "json/value.h"
#include "kube/model/names.h"

namespace hearth::grove {

// What a scheduler wants of pods and gangs. Pure: it says what should be there, others write it.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;  // "default-scheduler"
  // Whether pods of a gang must not be let go before the gang names them.
  virtual bool schedules_gangs() const = 0;
  // Scheduler's name, annotations and labels of a pod; `pod` is whole.
  virtual void PreparePod(const CliqueFacts& clique, json::Value& pod) const = 0;
  // What the scheduler wants to find on the PodGang itself; `gang` is whole but for that.
  virtual void PrepareGang(const SetFacts& set, json::Value& gang) const;
  // The object that the scheduler reads for a gang; nothing when it reads none. `existing` is that
  // object as it is, absent when there is none: what the scheduler wrote there stays.
  virtual std::optional<json::Value> RenderGroup(const GangFacts& gang, json::View existing) const;
  // Of such objects.
  virtual const kube::ResourceType* group_type() const { return nullptr; }
};

// By the name that pods have in schedulerName, or that a configuration profile has; null: unknown.
std::unique_ptr<Backend> MakeBackend(std::string_view name);
std::vector<std::string> BackendNames();

// The scheduler of a set: the first that one of its cliques names, else `fallback`.
std::string SchedulerOf(const SetFacts& set, std::string_view fallback);

}  // namespace hearth::grove
