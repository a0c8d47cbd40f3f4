#include "schema/schema.h"

#include <algorithm>

namespace hearth::schema {

const Schema* Schema::Find(std::string_view property) const {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [&](const Property& p) { return p.name == property; });
  return found == properties.end() ? nullptr : found->schema.get();
}

}  // namespace hearth::schema
