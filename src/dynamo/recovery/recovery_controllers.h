#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "controller/manager.h"
#include "dynamo/recovery/cascade_reconciler.h"
#include "dynamo/recovery/recovery_metrics.h"
#include "dynamo/recovery/replacement_reconciler.h"

namespace hearth::dynamo {

struct RecoveryOptions {
  // Whether pods of a namespace are looked after; not said: all are. Others are left alone:
  // another operator has them.
  std::function<bool(std::string_view name_space)> includes;
  std::string name_space;  // look after pods of this one only; empty: all
};

// The controllers that delete what cannot come back by itself. Must outlive the manager's Run.
class RecoveryControllers {
 public:
  RecoveryControllers(controller::Manager& manager, const RecoveryOptions& options);

 private:
  recovery::RecoveryMetrics metrics_;
  recovery::CascadeReconciler cascade_;
  recovery::ReplacementReconciler replacement_;
};

}  // namespace hearth::dynamo
