#pragma once

#include <functional>
#include <vector>

#include "grove/model/facts.h"
#include "json/value.h"

namespace hearth::grove {

// Stores an object and returns it as it is then, with its uid.
using Store = std::function<json::Value(const json::Value& object)>;

// Every object that comes of a set, each stored before the next is made, which may refer to it: the
// children, as many pods as the templates say, gangs, and what their scheduler reads. Topology
// domains are found under "node/<domain>".
std::vector<json::Value> RenderEverything(const SetFacts& set, const Store& store);

}  // namespace hearth::grove
