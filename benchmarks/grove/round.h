#pragma once

#include <memory>
#include <string>
#include <vector>

#include "deployment.h"
#include "figures.h"
#include "names.h"
#include "operator_process.h"
#include "plan.h"
#include "stage.h"

namespace hearth::bench {

// What one operator does on a stage of its own, once.
class Round {
 public:
  enum class Part { kStart, kBare, kDeploy, kSmall, kClaims, kMemory };

  // `directory` must be there and empty.
  Round(const Plan& plan, Contestant contestant, std::string hearth_operator, std::string directory,
        Figures& figures);

  // What was measured until it failed stays.
  Status Run(const std::vector<Part>& parts);
  // Ours alone: sets of growing size.
  Status Grow();

 private:
  Status SetStage();
  Status RunPart(Part part);
  Status StartOperator();
  void Add(const char* figure, double value);
  WaitLimit Limit() const { return WaitLimit::For(RealClock(), plan_.limit); }
  bool ours() const { return contestant_.kind == Contestant::Kind::kHearth; }

  Status MeasureStart();
  Status MeasureBare();    // nobody runs the pods; beside a loop that only creates
  Status MeasureDeploy();  // and scales
  Status MeasureScaling(Deployment& set);
  Status MeasureResync(Deployment& set);
  Status MeasureSmall();
  Status MeasureChurn();
  Status MeasureClaims();
  Status MeasureMemory();
  Result<Memory> MemoryAtRest();
  void AddCounts(const RequestCounts& counts, int replicas);

  const Plan& plan_;
  const Contestant contestant_;
  const std::string hearth_operator_;
  const std::string directory_;
  Figures& figures_;
  std::unique_ptr<Stage> stage_;
  std::unique_ptr<OperatorProcess> operator_;
};

}  // namespace hearth::bench
