#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dynamo/view/problem.h"
#include "json/value.h"
#include "json/view.h"

// How far a graph is with what was last asked of it: a change, a restart. Pure.
namespace hearth::dynamo {

struct Rollout {
  enum class State { kDone, kUnderWay, kFailed };
  struct Component {
    std::string name;
    int64_t wanted = 0;
    int64_t updated = 0;
    int64_t ready = 0;
    bool done = false;
    bool restarting = false;
    std::string checkpoint;  // that its pods wait for
  };
  State state = State::kUnderWay;
  std::string name_space;
  std::string graph;
  int64_t generation = 0;
  std::string restart_id;        // last asked for; empty: never
  std::string restart_phase;     // of that very restart
  std::string update_phase;      // of a rolling update of workers
  std::vector<Problem> reasons;  // why it is not done
  std::vector<Component> components;

  // Of a DynamoGraphDeployment v1beta1.
  static Rollout Of(json::View graph);
};

// A line of where it stands, then one for each component that is not there yet.
std::string ToText(const Rollout& rollout);
json::Value ToJson(const Rollout& rollout);

}  // namespace hearth::dynamo
