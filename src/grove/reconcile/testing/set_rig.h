#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "controller/manager.h"
#include "controller/testing/memory_api.h"
#include "grove/reconcile/clique_reconciler.h"
#include "grove/reconcile/gang_reconciler.h"
#include "grove/reconcile/group_reconciler.h"
#include "grove/reconcile/set_reconciler.h"
#include "net/event_loop.h"

namespace hearth::grove {

// The controllers of sets over an API server in memory. Nothing runs by itself: another holds the
// lease, so the caches are filled and passes are made by the test, one at a time.
class SetRig {
 public:
  SetRig();
  ~SetRig();

  // A set "serve" in "ns" with the part of the spec that stands below `template`, indented by four.
  void PutSet(int replicas, const std::string& parts);
  // The same as anything.
  void Put(const kube::ResourceType& type, std::string_view yaml);

  // One pass; the caches show what it wrote when this returns.
  Result<controller::Outcome> Set() { return Run(sets_, "serve"); }
  Result<controller::Outcome> Group(const std::string& name) { return Run(groups_, name); }
  Result<controller::Outcome> Clique(const std::string& name) { return Run(cliques_, name); }
  Result<controller::Outcome> Gang(const std::string& name) { return Run(gangs_, name); }
  // Passes over everything there is until no more is written.
  void Settle();

  void Delete(const kube::ResourceType& type, const std::string& name);
  // From here on requests whose "METHOD /path" holds both are answered 422, as a policy would.
  void Refuse(std::string method, std::string path);
  void RefuseNothing();
  size_t refusals() const { return refused_; }

  std::optional<json::Value> Find(const kube::ResourceType& type, const std::string& name) const;
  // "" when it has no such condition, else "True Reason: message".
  std::string Condition(const kube::ResourceType& type, const std::string& name,
                        std::string_view condition) const;
  std::vector<api::grove::LastError> LastErrors(const kube::ResourceType& type,
                                                const std::string& name) const;
  // "Reason: note" of all events so far.
  std::vector<std::string> Events();

  // What all passes wrote so far.
  size_t writes() const { return writes_; }
  controller::MemoryApi& api() { return api_; }
  controller::Manager& manager() { return *manager_; }
  const GroveCaches& caches() const { return caches_; }

 private:
  Result<controller::Outcome> Run(controller::Reconciler& reconciler, const std::string& name);
  // Until all caches show what the server has.
  void CatchUp() const;

  net::EventLoop loop_{"rig"};
  controller::MemoryApi api_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<controller::Manager> manager_;
  GroveCaches caches_;
  GroveMetrics metrics_;
  SetReconciler sets_;
  GroupReconciler groups_;
  CliqueReconciler cliques_;
  GangReconciler gangs_;
  std::vector<const controller::Informer*> informers_;
  std::atomic<size_t> refused_ = 0;
  size_t writes_ = 0;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace hearth::grove
