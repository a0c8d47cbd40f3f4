#pragma once

#include <functional>
#include <memory>
#include <string>

#include "audit_log.h"
#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "pod_stub.h"
#include "population.h"

namespace hearth::bench {

// A real etcd and kube-apiserver with garbage collection and our definitions, for one operator at a
// time: its account, what it asks for, the pods it makes and somebody who runs them. To be set up
// on the main thread.
class Stage {
 public:
  // `hearth_operator` is the program that knows the definitions; `directory` is for what is written
  // down on the way.
  static Result<std::unique_ptr<Stage>> Set(const std::string& hearth_operator,
                                            const std::string& directory);
  ~Stage();

  // For the operator: it may do everything, and what it does is in requests().
  const std::string& operator_kubeconfig() const;
  AuditLog& requests();
  // Creates as the operator would, with as many connections as callers.
  kube::Client& as_operator();
  // For ourselves.
  kube::Client& client();

  const PopulationCounter& pods() const;    // those with the operators' label
  const PopulationCounter& claims() const;  // the same
  PodStub& stub();

  Result<std::string> NewNamespace(const std::string& prefix);
  // An object to belong to, as an owner reference; nobody deletes it.
  Result<json::Value> NewOwner(const std::string& name_space);
  // The set's status says that so many replicas are available.
  Status AwaitAvailable(const kube::ObjectKey& set, int replicas, const WaitLimit& limit);

 private:
  struct Impl;
  explicit Stage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::bench
