#pragma once

#include <string>
#include <utility>
#include <vector>

#include "schema/field_error.h"

namespace hearth::admission {

// Something a schema cannot say and the door checks all the same. One constant each, beside the
// code that checks it; `hearth validate --explain` and the reference pages show it.
struct Rule {
  const char* id;       // stable, for machines: "graph-needs-components"
  const char* purpose;  // for people: what would go wrong without it, and what to do instead
  // The schema of the rules' own version says the same; the rule is there for objects that come in
  // a version whose schema cannot.
  bool in_schema = false;
};

struct Finding {
  schema::FieldError error;
  const Rule* rule = nullptr;  // null: the schema or one of its own rules says so
};

// Accepted, but the user should know.
struct Warning {
  std::string path;  // empty: about no single field
  std::string text;

  std::string ToString() const;  // spec.replicas: what there is to know
  friend bool operator==(const Warning&, const Warning&) = default;
};
std::vector<std::string> Texts(const std::vector<Warning>& warnings);

// Collects what rules find about one object. A hostile object has as many faults as it likes: past
// ErrorList::kLimit they are dropped, and so are warnings.
class Findings {
 public:
  void Add(const Rule& rule, schema::FieldError error);
  // Each once.
  void Warn(Warning warning);
  void Warn(const schema::FieldPath& path, std::string text) {
    Warn({path.ToString(), std::move(text)});
  }

  bool ok() const { return errors_.empty(); }
  const std::vector<Finding>& errors() const { return errors_; }
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  std::vector<Finding> errors_;
  std::vector<Warning> warnings_;
};

}  // namespace hearth::admission
