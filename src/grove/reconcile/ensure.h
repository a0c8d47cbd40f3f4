#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "controller/child.h"
#include "controller/pass.h"
#include "grove/model/labels.h"
#include "grove/reconcile/errors.h"

namespace hearth::grove {

// Something that a pass wants to have sent, and what its failure is called.
struct Wish {
  std::string_view code;  // of error_code
  std::function<Status()> send;
};

// Something that goes with its owner.
struct Removal {
  std::string_view code;  // of error_code
  const kube::ResourceType* type;
  controller::ObjectPtr object;
};

// What became of wishes, each at its place.
struct Sent {
  std::vector<Status> outcomes;
  Status failure;      // one of them, see Worse
  Status refusal;      // the first that is more than a race with somebody else
  size_t refused = 0;  // how many did not come true, but for races
};
// Sends them side by side; a failure stops nothing else, but many of them do: see SendMost. Of each
// code one error is added, which counts the others.
Sent SendEach(const std::vector<Wish>& wishes, std::vector<api::grove::LastError>& errors);
// The same for what is alike and may be refused for one reason: nothing more begins after a
// failure, and `cautiously` one is tried, then two, four and so on.
Sent SendUntilRefused(const std::vector<Wish>& wishes, bool cautiously,
                      std::vector<api::grove::LastError>& errors);
// SendEach for those who need to know only whether all is well.
Status SendAll(const std::vector<Wish>& wishes, std::vector<api::grove::LastError>& errors);

// Somebody else wrote at the same moment; the next pass sees what, and goes on from there.
bool IsRace(const Status& status);

// The outcomes of `send` for 0 .. count-1, side by side. After kMostRefusals of them nothing more
// begins in this pass, and what was not tried says so (WasNotTried). Where there are more than that
// they begin anywhere, so that nobody waits for ever behind those who are refused.
inline constexpr size_t kMostRefusals = 100;
std::vector<Status> SendMost(size_t count, const std::function<Status(size_t index)>& send);
bool WasNotTried(const Status& status);

using controller::Birth;
using controller::Child;

// Who may have made children before us.
inline constexpr std::string_view kFormerManagers[] = {kManagedBy};

// controller::EnsureChild, of children that may have been made by upstream's operator.
Result<bool> Ensure(controller::Pass& pass, Child child, std::string_view owner_uid);

// Deletes it and leaves what it owns to its own controller.
Status Remove(controller::Pass& pass, const kube::ResourceType& type,
              const controller::CachedObject& cached);

}  // namespace hearth::grove
