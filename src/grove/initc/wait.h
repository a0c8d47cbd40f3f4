#pragma once

#include <stop_token>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "grove/initc/parents.h"
#include "kube/client/client.h"

namespace hearth::grove::initc {

struct WaitRequest {
  std::string name_space;
  std::string gang;
  Parents parents;
};

// Ok as soon as every parent has enough pods that are ready and not being deleted. Follows them by
// a watch that is begun anew, with growing pauses, whenever it breaks or is refused: a server that
// is not there, or rights that are not granted yet, are waited for. Logs what is missing when that
// changes. kCancelled, saying what was missing, when stopped. Blocks.
Status WaitForParents(kube::Client& client, const WaitRequest& request, const Logger& log,
                      const std::stop_token& stop);

}  // namespace hearth::grove::initc
