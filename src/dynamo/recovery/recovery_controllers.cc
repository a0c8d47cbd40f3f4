#include "dynamo/recovery/recovery_controllers.h"

namespace hearth::dynamo {

RecoveryControllers::RecoveryControllers(controller::Manager& manager,
                                         const RecoveryOptions& options)
    : metrics_(manager.metrics()),
      cascade_(manager, metrics_, {options.includes, options.name_space}),
      replacement_(manager, metrics_, {options.includes, options.name_space}) {}

}  // namespace hearth::dynamo
