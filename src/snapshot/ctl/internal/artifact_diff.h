#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "snapshot/artifact/artifact.h"
#include "snapshot/images/captured.h"

// In what two artifacts differ. Pure: contents are compared by their digests.
namespace hearth::snapshot::ctl {

struct Difference {
  std::string_view part;  // "environment", "process", "socket", "mount", "file"
  std::string name;
  std::string a;  // empty: not in a
  std::string b;

  friend bool operator==(const Difference&, const Difference&) = default;
};

struct Side {
  const Manifest& manifest;
  const Contents& contents;
  const images::Captured& captured;
};
// By part, then in the order of a. Times, ids of containers, and where it was captured are no
// differences.
std::vector<Difference> Compare(const Side& a, const Side& b);

}  // namespace hearth::snapshot::ctl
