#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "cluster.h"
#include "contestant.h"
#include "plan.h"
#include "statistics.h"

namespace hearth::bench {

// What a contestant is measured for. Peers that cannot do something leave it out.
struct Tasks {
  bool start = false;
  bool idle = true;
  bool events = true;
  bool storm = true;
  bool queue = false;
  bool decode = false;
};

// Runs one contestant once through everything. Fails when it dies, hangs, or misses a change; what
// was measured until then stays.
class Round {
 public:
  Round(Cluster& cluster, const Plan& plan, std::string pods_name_space, std::string few_name_space,
        std::string empty_name_space, std::string directory)
      : cluster_(cluster),
        plan_(plan),
        pods_name_space_(std::move(pods_name_space)),
        few_name_space_(std::move(few_name_space)),
        empty_name_space_(std::move(empty_name_space)),
        directory_(std::move(directory)) {}

  Status Run(const Contestant& contestant, const Tasks& tasks, Samples& samples);

 private:
  Result<std::unique_ptr<RunningContestant>> Start(const Contestant& contestant,
                                                   const std::string& name_space);
  Result<Memory> MemoryIn(const Contestant& contestant, const std::string& name_space);
  Status MeasureIdle(const Contestant& contestant, Samples& samples);
  Status MeasureFilling(const std::string& name, RunningContestant& running, Samples& samples);
  Status MeasureEvents(const std::string& name, RunningContestant& running, const EventPhase& phase,
                       Samples& samples);
  Status MeasureBursts(const std::string& name, RunningContestant& running, Samples& samples);
  Status MeasureStorm(const std::string& name, RunningContestant& running, Samples& samples);
  Status MeasureDecoding(const std::string& name, RunningContestant& running, Samples& samples);
  Status MeasureQueue(const std::string& name, RunningContestant& running, Samples& samples);

  Cluster& cluster_;
  Plan plan_;
  std::string pods_name_space_;
  std::string few_name_space_;
  std::string empty_name_space_;
  std::string directory_;
};

}  // namespace hearth::bench
