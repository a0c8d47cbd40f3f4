#pragma once

#include <optional>
#include <vector>

#include "admission/rules/kind_rules.h"
#include "admission/rules/request.h"
#include "admission/webhook/review.h"
#include "admission/webhook/routes.h"
#include "base/result.h"
#include "json/value.h"
#include "schema/field_error.h"

namespace hearth::admission::webhook::internal {

// A request's objects in the version that the rules of its kind speak of, whatever version they
// came in. Borrows request, rules and services.
class RulesView {
 public:
  // kInvalid: the object cannot be said in that version.
  static Result<RulesView> Make(const AdmissionRequest& request, const KindRules& rules,
                                const Services& services);

  const json::Value& object() const { return converted_ ? *converted_ : request_.object; }
  admission::Request ToRequest() const;
  // Says what the rules found in the words of the version that the user sent, which may be another.
  void ToUserWords(std::vector<schema::FieldError>& errors, std::vector<Warning>& warnings) const;
  // Back to the version the request came in.
  Result<json::Value> ToRequestVersion(json::Value object) const;

 private:
  RulesView(const AdmissionRequest& request, const KindRules& rules, const Services& services)
      : request_(request), rules_(rules), services_(services) {}

  const AdmissionRequest& request_;
  const KindRules& rules_;
  const Services& services_;
  std::optional<json::Value> converted_;  // nothing when it came in the right version
  std::optional<json::Value> converted_old_;
};

}  // namespace hearth::admission::webhook::internal
