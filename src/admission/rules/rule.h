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
};

struct Finding {
  schema::FieldError error;
  const Rule* rule = nullptr;  // null: the schema or one of its own rules says so
};

// Collects what rules find about one object. A hostile object has as many faults as it likes: past
// ErrorList::kLimit they are dropped, and so are warnings.
class Findings {
 public:
  void Add(const Rule& rule, schema::FieldError error);
  // Accepted, but the user should know. Each text once.
  void Warn(std::string text);

  bool ok() const { return errors_.empty(); }
  const std::vector<Finding>& errors() const { return errors_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<Finding> errors_;
  std::vector<std::string> warnings_;
};

}  // namespace hearth::admission
