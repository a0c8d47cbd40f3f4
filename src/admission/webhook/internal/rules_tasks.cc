// Defaulting and validation by the rules of a kind.
#include <fmt/format.h>

#include <utility>

#include "admission/webhook/internal/rules_view.h"
#include "admission/webhook/internal/tasks.h"
#include "json/patch.h"
#include "schema/field_error.h"

namespace hearth::admission::webhook::internal {
namespace {

using json::Value;

std::string Text(const Value& object, std::string_view path) {
  const Value* found = object.FindPath(path);
  return found != nullptr ? found->StringOr("") : "";
}

// As the API server speaks of an object: DynamoGraphDeployment.nvidia.com "llm".
std::string Describe(const AdmissionRequest& request) {
  std::string name = request.name;
  for (const char* place : {"metadata.name", "metadata.generateName"}) {
    if (name.empty()) {
      name = Text(request.object, place);
    }
  }
  return fmt::format("{}.{} {}", request.asked_kind.kind, request.asked_kind.group,
                     schema::QuotedText(name));
}

bool IsBeingDeleted(const AdmissionRequest& request) {
  const Value* deletion = request.object.FindPath("metadata.deletionTimestamp");
  return deletion != nullptr && deletion->IsString();
}

// Nothing is written, or another operator looks after it.
bool NothingToSay(const AdmissionRequest& request, const Services& services) {
  const bool writes = request.operation == "CREATE" || request.operation == "UPDATE";
  return !writes || (services.leaves_alone && services.leaves_alone(request.name_space));
}

const KindRules* RulesFor(const Endpoint& endpoint, const AdmissionRequest& request,
                          const Services& services) {
  return NothingToSay(request, services) ? nullptr
                                         : services.find_rules(endpoint.group, endpoint.kind);
}

Answer AnswerByRules(const AdmissionRequest& request, const RulesView& view,
                     const Findings& findings) {
  std::vector<schema::FieldError> errors;
  std::vector<const Rule*> rules;
  for (const Finding& finding : findings.errors()) {
    errors.push_back(finding.error);
    rules.push_back(finding.rule);
  }
  std::vector<Warning> warnings = findings.warnings();
  view.ToUserWords(errors, warnings);
  if (errors.empty()) {
    return Allow(request, {.warnings = Texts(warnings)});
  }
  Answer answer =
      Deny(request, schema::ToStatus(errors, Describe(request)), {.warnings = Texts(warnings)});
  answer.rules = std::move(rules);
  return answer;
}

Answer DenyUnconvertible(const AdmissionRequest& request, const Status& status) {
  return Deny(request,
              Status(Code::kInvalid, "Invalid",
                     fmt::format("{} is invalid: {}", Describe(request), status.message())));
}

}  // namespace

Answer Default(const Endpoint& endpoint, const AdmissionRequest& request,
               const Services& services) {
  const KindRules* rules = RulesFor(endpoint, request, services);
  if (rules == nullptr || rules->set_defaults == nullptr || IsBeingDeleted(request)) {
    return Allow(request);
  }
  const auto view = RulesView::Make(request, *rules, services);
  if (!view.ok()) {
    return DenyUnconvertible(request, view.status());
  }
  Value object = view->object();
  rules->set_defaults(object, view->ToRequest());
  if (object == view->object()) {
    return Allow(request);
  }
  const auto defaulted = view->ToRequestVersion(std::move(object));
  if (!defaulted.ok()) {
    return DenyUnconvertible(request, defaulted.status());
  }
  return Allow(request, {.patch = json::DiffJsonPatch(request.object, *defaulted)});
}

Answer Validate(const Endpoint& endpoint, const AdmissionRequest& request,
                const Services& services) {
  const KindRules* rules = RulesFor(endpoint, request, services);
  const bool deleted = IsBeingDeleted(request);
  const auto validate =
      rules == nullptr ? nullptr : (deleted ? rules->validate_deleted : rules->validate);
  if (validate == nullptr) {
    return Allow(request);
  }
  const auto view = RulesView::Make(request, *rules, services);
  if (!view.ok()) {
    // Nobody is kept from taking finalizers away.
    return deleted ? Allow(request) : DenyUnconvertible(request, view.status());
  }
  Findings findings;
  validate(view->object(), view->ToRequest(), findings);
  // What is shared cannot be changed later.
  if (endpoint.kind == "PodCliqueSet" && request.operation == "CREATE") {
    access::CheckTemplateAccess(view->object(), request.name_space, request.user_info,
                                services.templates, findings);
  }
  return AnswerByRules(request, *view, findings);
}

}  // namespace hearth::admission::webhook::internal
