#include "admission/webhook/internal/rules_view.h"

#include <fmt/format.h>

#include <utility>

#include "admission/rules/user_words.h"
#include "api/conversion/convert.h"

namespace hearth::admission::webhook::internal {

Result<RulesView> RulesView::Make(const AdmissionRequest& request, const KindRules& rules,
                                  const Services& services) {
  RulesView view(request, rules, services);
  if (request.kind.version == rules.version) {
    return view;
  }
  ASSIGN_OR_RETURN(view.converted_,
                   services.convert(request.object, rules.version)
                       .WithContext(fmt::format("converting to {}", rules.version)));
  if (request.old_object.IsObject()) {
    ASSIGN_OR_RETURN(
        view.converted_old_,
        services.convert(request.old_object, rules.version)
            .WithContext(fmt::format("converting what is stored to {}", rules.version)));
  }
  return view;
}

admission::Request RulesView::ToRequest() const {
  admission::Request asked{.user = request_.user, .setup = services_.setup};
  if (request_.operation == "UPDATE") {
    asked.operation = Operation::kUpdate;
    asked.old = converted_old_ ? &*converted_old_ : &request_.old_object;
  }
  return asked;
}

void RulesView::ToUserWords(std::vector<schema::FieldError>& errors,
                            std::vector<Warning>& warnings) const {
  const std::string& asked = request_.asked_kind.version;
  const bool nothing = errors.empty() && warnings.empty();
  if (nothing || asked == rules_.version || rules_.version != api::conversion::kHubVersion) {
    return;
  }
  // Unless it came in the user's version, that one is a conversion away.
  const auto sent = asked == request_.kind.version ? Result<json::Value>(request_.object)
                                                   : services_.convert(object(), asked);
  if (!sent.ok()) {
    return;
  }
  const UserWords words(*sent, object());
  for (schema::FieldError& error : errors) {
    words.Translate(error);
  }
  for (Warning& warning : warnings) {
    words.Translate(warning);
  }
}

Result<json::Value> RulesView::ToRequestVersion(json::Value object) const {
  if (!converted_) {
    return object;
  }
  return services_.convert(object, request_.kind.version);
}

}  // namespace hearth::admission::webhook::internal
