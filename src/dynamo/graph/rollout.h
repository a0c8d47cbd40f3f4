#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// From one generation of workers to the next, without Grove: both run beside each other, told apart
// by their hash, until the new one has taken over. Pure.
namespace hearth::dynamo {

// What runs of a component in one generation.
struct RunningWorkers {
  std::string deployment;  // its DynamoComponentDeployment
  int32_t replicas = 0;    // as its spec has it
  int32_t available = 0;
};

// How far replicas may go beyond or below what is wanted.
struct RolloutLimits {
  int32_t surge = 0;
  int32_t unavailable = 0;
};
// Of the annotations on a component's pod template; a quarter each when they say nothing, rounded
// up and down as a Deployment does. Never both 0.
RolloutLimits LimitsFor(std::string_view max_surge, std::string_view max_unavailable,
                        int32_t replicas);

struct ComponentRollout {
  int32_t wanted = 0;               // replicas of the component
  bool held = false;                // the new ones may not start yet
  RunningWorkers now;               // of the new generation; no deployment: none yet
  std::vector<RunningWorkers> old;  // oldest first
  RolloutLimits limits;
};

struct RolloutStep {
  int32_t replicas = 0;                      // of the new generation
  std::map<std::string, int32_t> scale_old;  // by deployment; only those that change
  std::vector<std::string> remove;           // deployments that nobody needs any more
  bool complete = false;                     // the new generation serves alone
};
RolloutStep PlanRollout(const ComponentRollout& rollout);

}  // namespace hearth::dynamo
