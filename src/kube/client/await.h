#pragma once

#include <functional>
#include <string_view>

#include "base/wait_limit.h"
#include "kube/client/client.h"

namespace hearth::kube {

// Looks at the objects that the selectors mean, now and whenever one changes, until `done` says
// true of one or fails; watches, and begins anew when a watch ends. kDeadlineExceeded, kCancelled
// when the limit is over, kNotFound when one is deleted, or there is none to begin with and it is
// not to be waited for. `done` is called on this thread.
enum class IfNone { kWait, kFail };
Status Await(Client& client, const ResourceType& type, std::string_view name_space,
             const ListOptions& which, IfNone if_none, const WaitLimit& limit,
             const std::function<Result<bool>(const Object&)>& done);

// The same of one object.
Status AwaitObject(Client& client, const ResourceType& type, const ObjectKey& key,
                   const WaitLimit& limit, const std::function<Result<bool>(const Object&)>& done);

}  // namespace hearth::kube
