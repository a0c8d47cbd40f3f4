#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "controller/manager.h"

namespace hearth::operator_app {

struct OperatorOptions;

// Something that lives as long as the manager runs.
class Component {
 public:
  virtual ~Component() = default;
};

// One controller, or several that belong together: to add one to the operator, add a row.
struct ControllerRow {
  std::string_view name;     // as --controllers has it
  std::string_view summary;  // one sentence
  std::function<std::unique_ptr<Component>(controller::Manager& manager,
                                           const OperatorOptions& options)>
      make;
};
const std::vector<ControllerRow>& ControllerTable();
std::vector<std::string> ControllerNames();

// Whether the options ask for it.
bool Runs(const OperatorOptions& options, std::string_view controller);
// Those that the options ask for, registered with the manager.
std::vector<std::unique_ptr<Component>> MakeControllers(controller::Manager& manager,
                                                        const OperatorOptions& options);

}  // namespace hearth::operator_app
