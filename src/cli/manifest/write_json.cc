#include "cli/manifest/write_json.h"

#include "base/strings.h"

namespace hearth::manifest {
namespace {

using json::Value;

// JSON has no room for bytes that are not UTF-8.
Value Text(const std::string& text) { return ValidUtf8(text) ? text : Excerpt(text, text.size()); }

Value Count(size_t count) { return static_cast<int64_t>(count); }

Value Describe(const ObjectReport& object) {
  return Value::Object({{"apiVersion", Text(object.api_version)},
                        {"kind", Text(object.kind)},
                        {"namespace", Text(object.name_space)},
                        {"name", Text(object.name)},
                        {"line", object.at.line},
                        {"verdict", VerdictName(object.verdict)}});
}

}  // namespace

void JsonReport::AddFindings(const FileReport& file, const std::vector<Finding>& findings,
                             const ObjectReport* object) {
  for (const Finding& finding : findings) {
    Value told = Value::Object({{"file", Text(file.file)},
                                {"line", finding.at.line},
                                {"column", finding.at.column},
                                {"severity", SeverityName(finding.severity)},
                                {"object", object == nullptr ? Value("") : Text(object->Title())},
                                {"path", Text(finding.path)},
                                {"type", Text(finding.type)},
                                {"value", Text(finding.value)},
                                {"message", Text(finding.message)},
                                {"rule", Text(finding.rule)}});
    if (!finding.explanation.empty()) {
      told.Set("explanation", Text(finding.explanation));
    }
    findings_.Append(std::move(told));
  }
}

void JsonReport::Add(const FileReport& file) {
  Value objects = Value::Array();
  AddFindings(file, file.findings, nullptr);
  for (const ObjectReport& object : file.objects) {
    objects.Append(Describe(object));
    AddFindings(file, object.findings, &object);
  }
  files_.Append(Value::Object({{"file", Text(file.file)},
                               {"readable", !file.unreadable},
                               {"objects", std::move(objects)}}));
}

std::string JsonReport::Finish(const Summary& summary) const {
  return Value::Object({{"version", 1},
                        {"files", files_},
                        {"findings", findings_},
                        {"summary", Value::Object({{"files", Count(summary.files)},
                                                   {"objects", Count(summary.objects)},
                                                   {"valid", Count(summary.valid)},
                                                   {"invalid", Count(summary.invalid)},
                                                   {"skipped", Count(summary.skipped)},
                                                   {"errors", Count(summary.errors)},
                                                   {"warnings", Count(summary.warnings)},
                                                   {"unreadable", Count(summary.unreadable)}})}})
      .WritePretty();
}

}  // namespace hearth::manifest
