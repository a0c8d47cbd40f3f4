#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "json/value.h"

namespace hearth::gms::ctl {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;

  // The only line of output, read as JSON; null when it is none.
  json::Value Json() const;
};

// gmsctl as its main runs it, with what it wrote.
Ran RunGmsctl(const std::vector<std::string>& arguments, bool interactive = false,
              std::stop_token stop = {});

}  // namespace hearth::gms::ctl
