#include "admission/dynamo/internal/finding_list.h"

#include <algorithm>

#include "base/strings.h"

namespace hearth::admission::dynamo {

void AddNew(const Findings& now, const Findings& before, Findings& findings) {
  for (const Finding& finding : now.errors()) {
    const bool known =
        std::any_of(before.errors().begin(), before.errors().end(), [&](const Finding& other) {
          return other.rule == finding.rule && other.error == finding.error;
        });
    if (!known) {
      findings.Add(*finding.rule, finding.error);
    }
  }
  for (const Warning& warning : now.warnings()) {
    findings.Warn(warning);
  }
}

void AddNewOf(void (*check)(const json::Value& object, const Setup& setup, Findings& findings),
              const json::Value& object, const Request& request, Findings& findings) {
  Findings now;
  Findings before;
  check(object, request.setup, now);
  if (!now.ok() && request.old != nullptr) {
    check(*request.old, request.setup, before);
  }
  AddNew(now, before, findings);
}

schema::FieldError NotSupported(const schema::FieldPath& path, const json::Value& value,
                                const std::vector<std::string_view>& supported) {
  std::string detail;
  for (const std::string_view name : supported) {
    detail +=
        (detail.empty() ? "supported values: " : ", ") + schema::QuotedText(Excerpt(name, 253));
  }
  return {.type = schema::ErrorType::kNotSupported,
          .path = path.ToString(),
          .bad_value = schema::ValueText(value),
          .detail = std::move(detail)};
}

}  // namespace hearth::admission::dynamo
