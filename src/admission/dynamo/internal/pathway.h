#pragma once

#include <string>

#include "admission/rules/request.h"
#include "json/value.h"

namespace hearth::admission::dynamo {

// How pods of a graph come about: through Grove, or component by component.
struct Pathway {
  bool grove = true;
  std::string requirement;  // without Grove: what to tell a user whose object needs it
};

Pathway PathwayOf(const json::Value& graph, const Setup& setup);

}  // namespace hearth::admission::dynamo
