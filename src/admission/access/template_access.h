#pragma once

#include <functional>
#include <string_view>

#include "admission/rules/rule.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "kube/model/names.h"

// Whether somebody may have claims made from ResourceClaimTemplates of another namespace. The
// operator reads them with its own rights, and what is in them would be in the user's namespace.
namespace hearth::admission::access {

struct TemplateAccess {
  // Whether a user, as a review's userInfo tells, may read a template, by `limit`. Null: nobody
  // asks, and all pass. May be called from several threads at a time.
  using MayRead = std::function<Result<bool>(const json::Value& user_info,
                                             const kube::ObjectKey& key, const WaitLimit& limit)>;
  MayRead may_read;
  // For all templates of a set together, so that the API server, which waits ten seconds, still
  // hears the answer.
  std::function<WaitLimit()> limit = [] { return WaitLimit::Forever(); };
  bool warn_only = false;  // admitted with a warning instead of denied
};

extern const Rule kTemplateAccess;

// Adds a finding for each entry of resourceSharing whose template is in another namespace than the
// set and may not be read by the user. That it cannot be asked denies as well: kUnavailable is said
// in words, and who cannot be asked once is not asked again.
void CheckTemplateAccess(const json::Value& set, std::string_view name_space,
                         const json::Value& user_info, const TemplateAccess& access,
                         Findings& findings);

// Asks the server, by a SubjectAccessReview.
TemplateAccess::MayRead AskServer(kube::Client& client);

}  // namespace hearth::admission::access
