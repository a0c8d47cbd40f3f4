#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

// Takes secrets out of what is shown to others. What is taken out is replaced by kRedacted, so that
// it can be seen that something was there. Pure.
namespace hearth::bundle {

inline constexpr std::string_view kRedacted = "REDACTED";

struct Redaction {
  std::string path;  // "spec.containers[0].env[HF_TOKEN]"; of a text, "line 12"
  std::string why;
};

// Changes the object: values of variables, options, keys and annotations that are called like
// secrets; tokens, keys and passwords in any text; all data of a Secret; what kubectl applied last,
// which repeats everything. managedFields go without a word: they hold no values and help nobody.
std::vector<Redaction> RedactObject(json::Value& object);

// The same of a text such as a log: tokens of known shapes, private keys, passwords in URLs, and
// values that stand behind names like password= or "token":.
struct RedactedText {
  std::string text;
  size_t count = 0;  // of what was taken out
};
RedactedText RedactText(std::string_view text);

}  // namespace hearth::bundle
