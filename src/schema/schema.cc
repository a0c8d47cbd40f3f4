#include "schema/schema.h"

namespace hearth::schema {

const Schema* Schema::Find(std::string_view property) const {
  for (const Property& candidate : properties) {
    if (candidate.name == property) {
      return candidate.schema.get();
    }
  }
  return nullptr;
}

}  // namespace hearth::schema
