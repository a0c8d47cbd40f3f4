#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace hearth::snapshot::ctl {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;

  // Each line of output, read as JSON.
  std::vector<json::Value> JsonLines() const;
  // The only one; null when there is none.
  json::Value Json() const;
};

// snapshotctl as its main runs it, with what it wrote.
Ran RunSnapshotctl(const std::vector<std::string>& arguments, const std::string& input = "");

}  // namespace hearth::snapshot::ctl
