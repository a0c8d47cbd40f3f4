#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/model/object.h"
#include "plan.h"
#include "stage.h"

namespace hearth::bench {

// Something that an operator made.
struct Made {
  kube::ResourceType type;
  kube::Object object;
};

// A set in a name space of its own, and what users do to it. Seconds are counted from before the
// request is sent.
class Deployment {
 public:
  // `plan` says how long things may take.
  static Result<Deployment> In(Stage& stage, const Plan& plan, const std::string& prefix);

  Status Apply(int replicas);
  Status ApplySharing(int replicas);
  // Returns when so many replicas' pods are there, and no others.
  Result<double> Scale(int replicas);
  // Returns when no pod and no object of the set is left.
  Result<double> Delete();
  // Makes the operator look at the set again, which changes nothing.
  Status Touch();

  Status AwaitPods(int replicas);
  Status AwaitRunning(int replicas);
  Status AwaitAvailable(int replicas);
  double seconds() const;  // since the last thing that was done to it

  // Everything of it that an operator made: pods, services, cliques, gangs, accounts and rights.
  Result<std::vector<Made>> Objects();
  Result<std::vector<Made>> Objects(const kube::ResourceType& type);
  const kube::ObjectKey& key() const { return key_; }
  WallTime begun() const { return begun_wall_; }

 private:
  Deployment(Stage& stage, const Plan& plan, kube::ObjectKey key)
      : stage_(stage), plan_(plan), key_(std::move(key)) {}
  WaitLimit Limit() const { return WaitLimit::For(RealClock(), plan_.limit); }
  Status Create(const json::Value& set);
  void Begin();

  Stage& stage_;
  const Plan& plan_;
  kube::ObjectKey key_;
  SteadyTime begun_;
  WallTime begun_wall_;
};

}  // namespace hearth::bench
