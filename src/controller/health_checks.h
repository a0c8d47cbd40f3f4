#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "http/message.h"

namespace hearth::controller {

// Named checks behind one address, answered as the API server answers /readyz: "ok", or with
// ?verbose or on failure one line for each check. /readyz/name asks a single one, ?exclude=name
// leaves one out. Add everything before it is asked; asking is thread-safe as far as the checks
// are.
class HealthChecks {
 public:
  // `name` of the whole, for the last line: "readyz".
  explicit HealthChecks(std::string name) : name_(std::move(name)) {}

  void Add(std::string name, std::function<Status()> check);
  // `path` is what follows the address ("" or "/name"), `query` what follows the '?'.
  http::Response Answer(std::string_view path, std::string_view query) const;

 private:
  struct Check {
    std::string name;
    std::function<Status()> run;
  };
  http::Response AnswerAll(std::string_view query) const;
  http::Response AnswerOne(std::string_view name) const;

  std::string name_;
  std::vector<Check> checks_;
};

}  // namespace hearth::controller
