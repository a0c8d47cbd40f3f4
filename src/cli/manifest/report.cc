#include "cli/manifest/report.h"

namespace hearth::manifest {

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "";
}

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kValid:
      return "valid";
    case Verdict::kInvalid:
      return "invalid";
    case Verdict::kSkipped:
      return "skipped";
  }
  return "";
}

std::string ObjectReport::Title() const {
  std::string title = kind.empty() ? "object" : kind;
  if (!name.empty()) {
    title += " " + (name_space.empty() ? name : name_space + "/" + name);
  }
  return title;
}

void ObjectReport::Add(Finding finding) {
  if (finding.IsError()) {
    verdict = Verdict::kInvalid;
  }
  findings.push_back(std::move(finding));
}

void Summary::Count(const FileReport& file) {
  const auto count = [this](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      errors += finding.IsError() ? 1 : 0;
      warnings += finding.severity == Severity::kWarning ? 1 : 0;
    }
  };
  ++files;
  unreadable += file.unreadable ? 1 : 0;
  count(file.findings);
  for (const ObjectReport& object : file.objects) {
    ++objects;
    ++(object.verdict == Verdict::kValid     ? valid
       : object.verdict == Verdict::kInvalid ? invalid
                                             : skipped);
    count(object.findings);
  }
}

int Summary::ExitCode() const { return unreadable > 0 ? 2 : errors > 0 ? 1 : 0; }

}  // namespace hearth::manifest
