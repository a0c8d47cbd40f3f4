#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "json/yaml_positions.h"

// What was found out about manifests, as values: whoever prints them decides how.
namespace hearth::manifest {

enum class Severity { kError, kWarning, kNote };
std::string_view SeverityName(Severity severity);  // "error"

struct Finding {
  Severity severity = Severity::kError;
  json::TextPosition at;  // line 0: about the file as a whole
  std::string path;       // within the object, as Kubernetes writes it; empty: the object itself
  std::string type;     // for machines: a reason of Kubernetes ("FieldValueInvalid") or one of ours
  std::string value;    // as text, where a value is at fault
  std::string message;  // for people, without the path
  std::string rule;     // id of the rule behind it; empty: the schema says so
  std::string explanation;  // only when it was asked for

  bool IsError() const { return severity == Severity::kError; }
};

// Reasons of our own, beside those of Kubernetes (see schema/field_error.h).
namespace type {
inline constexpr const char* kUnreadable = "Unreadable";
inline constexpr const char* kYamlSyntax = "YamlSyntax";
inline constexpr const char* kNoObject = "NoObject";
inline constexpr const char* kUnknownField = "UnknownField";
inline constexpr const char* kUnknownKind = "UnknownKind";
inline constexpr const char* kUnknownVersion = "UnknownVersion";
inline constexpr const char* kBadRequest = "BadRequest";
inline constexpr const char* kDuplicateObject = "DuplicateObject";
inline constexpr const char* kWarning = "Warning";
inline constexpr const char* kRulesNotTried = "RulesNotTried";
inline constexpr const char* kMore = "More";
}  // namespace type

enum class Verdict { kValid, kInvalid, kSkipped };
std::string_view VerdictName(Verdict verdict);  // "valid"

struct ObjectReport {
  std::string api_version;
  std::string kind;
  std::string name_space;
  std::string name;
  json::TextPosition at;
  Verdict verdict = Verdict::kValid;
  std::vector<Finding> findings;

  std::string Title() const;  // DynamoGraphDeployment default/llama
  void Add(Finding finding);  // an error makes it invalid
};

struct FileReport {
  std::string file;  // as it was given
  std::string text;
  std::vector<Finding> findings;  // about no single object
  std::vector<ObjectReport> objects;
  bool unreadable = false;
};

struct Summary {
  size_t files = 0;
  size_t objects = 0;
  size_t valid = 0;
  size_t invalid = 0;
  size_t skipped = 0;
  size_t errors = 0;
  size_t warnings = 0;
  size_t unreadable = 0;  // files

  void Count(const FileReport& file);
  // 0: everything is valid. 1: something is not. 2: something could not be read.
  int ExitCode() const;
};

}  // namespace hearth::manifest
