#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/access/template_access.h"
#include "admission/door/door.h"
#include "admission/pod_restore/restore_pod.h"
#include "admission/protection/protection.h"
#include "admission/rules/kind_rules.h"
#include "admission/rules/request.h"
#include "admission/webhook/endpoints.h"
#include "api/conversion/convert.h"
#include "base/result.h"
#include "http/message.h"
#include "json/value.h"

namespace hearth::admission::webhook {

// What answering needs. Everything here may be called from several threads at a time.
struct Services {
  Setup setup;
  // Namespaces that another, restricted operator looks after: everything passes. Empty: none.
  std::function<bool(std::string_view name_space)> leaves_alone;
  pod_restore::Tools restore;
  protection::Guard guard;
  access::TemplateAccess templates;
  // The product's own, unless a test says otherwise.
  std::function<const KindRules*(std::string_view group, std::string_view kind)> find_rules =
      FindRules;
  std::function<Result<json::Value>(const json::Value& object, std::string_view version)> convert =
      api::conversion::Convert;
};

enum class Verdict { kAllowed, kPatched, kDenied, kConverted, kFailed };
std::string_view VerdictName(Verdict verdict);

// An answer, and what there is to count about it.
struct Answer {
  http::Response response;
  Verdict verdict = Verdict::kFailed;
  std::string cause;               // of kDenied and kFailed, for the log
  std::vector<const Rule*> rules;  // that denied it, each as often as it spoke
  // A pod that was looked at and starts cold.
  struct ColdStart {
    pod_restore::Unchanged why;
    bool asked = false;  // for a checkpoint: it says itself that it starts without
    std::string name_space;
    json::Value owner;  // the pod's owner references, an array; may be null
    bool dry_run = false;
  };
  std::optional<ColdStart> cold_start;
};

// No review, so no answer to one: a failure as an API server tells it, whose words reach the user.
Answer HttpFailure(int code, const Status& status);

// Answers one request. Never throws; whatever goes wrong inside denies the object with code 500, or
// admits a pod as it is. A request that is no review at all gets an HTTP failure with a Status
// object: 400, 404, 405, 413, 415.
Answer Respond(const http::Request& request, const Services& services);

}  // namespace hearth::admission::webhook
