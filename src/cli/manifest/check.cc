#include "cli/manifest/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "admission/door/door.h"
#include "api/catalog/catalog.h"
#include "base/strings.h"
#include "cli/manifest/internal/explain.h"
#include "cli/manifest/internal/foreign_kind.h"
#include "cli/manifest/read.h"
#include "schema/validate.h"

namespace hearth::manifest {
namespace {

using json::ResolvedPath;
using json::TextPosition;
using json::Value;
using json::YamlDocument;
using json::YamlPlace;
using schema::ErrorType;

constexpr size_t kMostFindings = 100;  // of one object
constexpr size_t kMostSought = 100;    // unknown fields; each is looked for in the whole object

const Value& ValueAt(const Value& root, const std::vector<size_t>& steps) {
  const Value* value = &root;
  for (const size_t step : steps) {
    value = value->IsArray() ? &value->items()[step] : &value->members()[step].second;
  }
  return *value;
}

bool Says(const Value& value, const std::string& quoted) {
  return value.IsString() && schema::QuotedText(value.string()) == quoted;
}

// Kubernetes speaks of labels as a whole; what it quotes is the name or the value of one.
std::optional<TextPosition> PartQuoted(const Value& value, const YamlPlace& place,
                                       const std::string& quoted) {
  for (size_t i = 0; i < place.below.size(); ++i) {
    if (value.IsObject() && schema::QuotedText(value.members()[i].first) == quoted) {
      return place.below[i].key;
    }
    if (Says(value.IsObject() ? value.members()[i].second : value.items()[i], quoted)) {
      return place.below[i].value;
    }
  }
  return std::nullopt;
}

// Where a finding about `path` points: at the value where the value is wrong, at the name where the
// field is, and at the nearest thing above what is missing.
TextPosition Pointing(const YamlDocument& object, const ResolvedPath& path,
                      const schema::FieldError& error) {
  const YamlPlace& place = json::PlaceAt(object.place, path.steps);
  if (!path.rest.empty() || error.type == ErrorType::kForbidden) {
    return place.key;
  }
  if (place.below.empty()) {
    return place.value;
  }
  return PartQuoted(ValueAt(object.value, path.steps), place, error.bad_value).value_or(place.key);
}

// Checks one object of ours.
class ObjectCheck {
 public:
  ObjectCheck(const YamlDocument& object, const api::CheckedKind& kind, const CheckOptions& options,
              ObjectReport& report)
      : object_(object), kind_(kind), options_(options), report_(report) {}

  // How many findings there are beside those in the report.
  size_t Run() {
    report_.name_space = LandsIn(kind_, report_.name_space, options_.name_space);
    const Value old = Old();
    const bool update = !old.IsNull();
    const admission::Request request{
        .operation = update ? admission::Operation::kUpdate : admission::Operation::kCreate,
        .old = update ? &old : nullptr,
        .setup = options_.setup};
    auto admitted = admission::Admit(WithNamespace(object_.value), request);
    if (!admitted.ok()) {
      TellRefusal(admitted.status());
      return 0;
    }
    const std::vector<std::string>& unknown = admitted->unknown_fields;
    const size_t sought = std::min(unknown.size(), kMostSought);
    for (size_t i = 0; i < sought; ++i) {
      TellUnknown(unknown[i]);
    }
    for (const admission::Finding& finding : admitted->errors) {
      Tell(finding);
    }
    for (const admission::Warning& warning : admitted->warnings) {
      Tell(warning);
    }
    return unknown.size() - sought + admitted->more_unknown_fields;
  }

 private:
  // What became of what was applied earlier: it was stored with all defaults. Null when there is
  // nothing.
  Value Old() const {
    const Value* old = options_.against == nullptr ? nullptr : options_.against->Find(report_);
    if (old == nullptr) {
      return {};
    }
    auto stored = admission::Admit(WithNamespace(*old), {.setup = options_.setup});
    return stored.ok() ? std::move(stored->object) : WithNamespace(*old);
  }

  // A client puts it into the object that it sends.
  Value WithNamespace(Value object) const {
    if (!object.IsObject()) {
      return object;
    }
    if (const Value* there = object.Find("metadata"); there == nullptr || there->IsNull()) {
      object.Set("metadata", Value::Object());
    }
    Value* metadata = object.Find("metadata");
    if (!metadata->IsObject()) {
      return object;
    }
    const Value* name_space = metadata->Find("namespace");
    const bool misread = name_space != nullptr && !name_space->IsNull() && !name_space->IsString();
    if (!misread) {  // the server says what it thinks of that
      metadata->Set("namespace", report_.name_space);
    }
    return object;
  }

  internal::SchemaPlace SchemaAt(const ResolvedPath& path) const {
    return internal::SchemaAt(kind_.version.schema, object_.value, path);
  }

  void Tell(const admission::Finding& found) {
    const schema::FieldError& error = found.error;
    if (error.detail == schema::kRulesNotTried) {
      report_.Add({.severity = Severity::kNote,
                   .type = type::kRulesNotTried,
                   .message =
                       "rules of the schema and of the webhooks were not tried because of these "
                       "errors"});
      return;
    }
    const ResolvedPath path = json::ResolvePath(object_.value, error.path);
    const Cause cause = error.ToCause();
    report_.Add(
        {.severity = error.detail == schema::kRulesNotTried ? Severity::kNote : Severity::kError,
         .at = Pointing(object_, path, error),
         .path = error.path == "<nil>" ? "" : error.path,
         .type = cause.reason,
         .value = error.bad_value,
         .message = error.detail == schema::kRulesNotTried ? error.detail : cause.message,
         .rule = found.rule == nullptr ? "" : found.rule->id,
         .explanation = options_.explain ? Explain(found, SchemaAt(path)) : ""});
  }

  void Tell(const admission::Warning& warning) {
    const ResolvedPath path = json::ResolvePath(object_.value, warning.path);
    report_.Add({.severity = Severity::kWarning,
                 .at = warning.path.empty() ? report_.at : Pointing(object_, path, {}),
                 .path = warning.path,
                 .type = type::kWarning,
                 .message = warning.text});
  }

  void TellUnknown(const std::string& text) {
    ResolvedPath path = json::ResolvePath(object_.value, text);
    const TextPosition at = json::PlaceAt(object_.place, path.steps).key;
    std::string name(path.rest);
    if (name.empty() && !path.steps.empty()) {
      name = NameOf(path.steps);
      path.steps.pop_back();
    }
    path.rest = {};
    const internal::SchemaPlace above = SchemaAt(path);
    const std::string nearest = internal::SuggestField(name, above);
    report_.Add({.severity = SeverityOfUnknown(),
                 .at = at,
                 .path = text,
                 .type = type::kUnknownField,
                 .message = nearest.empty() ? "unknown field"
                                            : "unknown field; did you mean " + nearest + "?",
                 .explanation = options_.explain ? internal::ExplainUnknown(above) : ""});
  }

  Severity SeverityOfUnknown() const {
    return options_.allow_unknown_fields ? Severity::kWarning : Severity::kError;
  }

  // Of the member that the last step leads to.
  std::string NameOf(const std::vector<size_t>& steps) const {
    const Value* value = &object_.value;
    std::string name;
    for (const size_t step : steps) {
      name = value->IsObject() ? value->members()[step].first : "";
      value = value->IsObject() ? &value->members()[step].second : &value->items()[step];
    }
    return name;
  }

  // What the server refuses before it looks at fields.
  void TellRefusal(const Status& status) {
    const std::string field = status.causes().empty() ? "" : status.causes()[0].field;
    const ResolvedPath path = json::ResolvePath(object_.value, field);
    report_.Add({.at = Pointing(object_, path, {}),
                 .path = field,
                 .type = type::kBadRequest,
                 .message = std::string(status.message())});
  }

  const YamlDocument& object_;
  const api::CheckedKind& kind_;
  const CheckOptions& options_;
  ObjectReport& report_;
};

void Skip(const YamlDocument& object, const CheckOptions& options, ObjectReport& report) {
  Finding finding = internal::JudgeForeignKind(report, options.strict);
  const ResolvedPath path = json::ResolvePath(object.value, finding.path);
  finding.at = json::PlaceAt(object.place, path.steps).value;
  report.verdict = Verdict::kSkipped;
  report.Add(std::move(finding));
}

// By place, what has none last.
bool Earlier(const Finding& a, const Finding& b) {
  const bool a_nowhere = a.at.line == 0;
  const bool b_nowhere = b.at.line == 0;
  return std::tie(a_nowhere, a.at.line, a.at.column) < std::tie(b_nowhere, b.at.line, b.at.column);
}

// In the order of the text, not too many. `more` were found and are not in the report.
void Tidy(ObjectReport& report, size_t more) {
  std::vector<Finding>& findings = report.findings;
  std::stable_sort(findings.begin(), findings.end(), Earlier);
  if (findings.size() > kMostFindings) {
    more += findings.size() - kMostFindings;
    findings.resize(kMostFindings);
  }
  if (more > 0) {
    report.Add({.severity = Severity::kNote,
                .type = type::kMore,
                .message = fmt::format("and {} more", more)});
  }
}

}  // namespace

ObjectReport CheckObject(const YamlDocument& object, const CheckOptions& options) {
  ObjectReport report = Identify(object);
  if (report.api_version.empty() || report.kind.empty()) {
    report.Add({.at = report.at,
                .type = type::kBadRequest,
                .message = object.value.IsObject()
                               ? "not an object of Kubernetes: apiVersion and kind must be set"
                               : "not an object of Kubernetes: expected a mapping"});
    return report;
  }
  const api::CheckedKind* kind = api::FindKind(report.api_version, report.kind);
  size_t more = 0;
  if (kind == nullptr) {
    Skip(object, options, report);
  } else {
    more = ObjectCheck(object, *kind, options, report).Run();
  }
  Tidy(report, more);
  return report;
}

FileReport CheckText(std::string file, std::string text, const CheckOptions& options) {
  FileReport report{.file = std::move(file), .text = std::move(text)};
  Manifest manifest = Read(report.text);
  report.findings = std::move(manifest.findings);
  for (const YamlDocument& object : manifest.objects) {
    report.objects.push_back(CheckObject(object, options));
  }
  return report;
}

}  // namespace hearth::manifest
