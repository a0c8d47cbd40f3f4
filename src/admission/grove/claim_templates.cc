#include "admission/grove/internal/part.h"
#include "admission/rules/reading.h"
#include "base/seeded_hash.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kName{
    "claim-template-name",
    "resourceSharing refers to templates by name. Give each template of the set a name that no "
    "other one has."};
constexpr Rule kRequests{
    "claim-template-requests",
    "A claim that requests no device shares nothing. Add at least one entry to "
    "templateSpec.spec.devices.requests."};
constexpr Rule kRequestForm{
    "claim-template-request-form",
    "The API server refuses claims whose requests do not say what device they want, so that pods "
    "would wait for ever. Put deviceClassName and count under exactly; they stood beside name only "
    "in v1beta1."};

const FieldPath kPath = FieldPath::Base("spec.template.resourceClaimTemplates");

const json::Value& Devices(const json::Value& claim_template) {
  return Member(Member(Member(claim_template, "templateSpec"), "spec"), "devices");
}

// Calls with the path of a template's list of requests.
template <typename Function>
void AtRequests(size_t index, const Function& function) {
  const FieldPath item = kPath.Item(index);
  const FieldPath template_spec = item.Child("templateSpec");
  const FieldPath spec = template_spec.Child("spec");
  const FieldPath devices = spec.Child("devices");
  function(devices.Child("requests"));
}

void Check(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  const json::Value::Items& list = Items(set.set_template, "resourceClaimTemplates");
  SeededSet<std::string_view> seen;
  for (size_t i = 0; i < list.size(); ++i) {
    const FieldPath item = kPath.Item(i);
    const json::Value& name = Member(list[i], "name");
    if (name.IsString() && name.string().empty()) {
      findings.Add(kName, schema::Required(item.Child("name"), "template name is required"));
    } else if (name.IsString() && !seen.insert(name.string()).second) {
      findings.Add(kName, schema::Duplicate(item.Child("name"), name));
    }
    if (Has(list[i], "templateSpec") && Items(Devices(list[i]), "requests").empty()) {
      AtRequests(i, [&](const FieldPath& path) {
        findings.Add(kRequests, schema::Required(path, "at least one device request is required"));
      });
    }
  }
}

void CheckForm(const json::Value::Items& requests, const FieldPath& path, Findings& findings) {
  for (size_t i = 0; i < requests.size(); ++i) {
    const bool exactly = Member(requests[i], "exactly").IsObject();
    const bool alternatives = !Items(requests[i], "firstAvailable").empty();
    if (requests[i].IsObject() && exactly == alternatives) {
      findings.Add(kRequestForm,
                   exactly ? schema::Invalid(path.Item(i), requests[i],
                                             "exactly and firstAvailable exclude each other")
                           : schema::Required(path.Item(i),
                                              "exactly one of `exactly` or "
                                              "`firstAvailable` is required"));
    }
  }
}

void CheckForms(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  const json::Value::Items& list = Items(set.set_template, "resourceClaimTemplates");
  for (size_t i = 0; i < list.size(); ++i) {
    AtRequests(i, [&](const FieldPath& path) {
      CheckForm(Items(Devices(list[i]), "requests"), path, findings);
    });
  }
}

}  // namespace

Part ClaimTemplatesPart() { return {Check, {&kName, &kRequests}}; }

Part ClaimRequestsPart() { return {CheckForms, {&kRequestForm}, Part::When::kFresh}; }

}  // namespace hearth::admission::grove
