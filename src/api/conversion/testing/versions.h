#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "schema/schema.h"

namespace hearth::api::conversion::testing {

// A version of a kind and the one it is converted to.
struct Version {
  std::string kind;
  std::string from;
  std::string to;
  schema::SchemaPtr schema;
  schema::SchemaPtr other;  // of `to`
};

inline std::ostream& operator<<(std::ostream& out, const Version& version) {
  return out << version.kind << " " << version.from;
}

// All of them.
std::vector<Version> Versions();

}  // namespace hearth::api::conversion::testing
