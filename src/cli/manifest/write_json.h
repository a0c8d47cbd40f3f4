#pragma once

#include <string>

#include "cli/manifest/report.h"

namespace hearth::manifest {

// For machines: one document, described in docs/validate.md. Members are only ever added to it.
class JsonReport {
 public:
  void Add(const FileReport& file);
  std::string Finish(const Summary& summary) const;

 private:
  void AddFindings(const FileReport& file, const std::vector<Finding>& findings,
                   const ObjectReport* object);

  json::Value files_ = json::Value::Array();
  json::Value findings_ = json::Value::Array();
};

}  // namespace hearth::manifest
