#pragma once

#include <string>

#include "schema/crd.h"

namespace hearth::generate {

// Every object of a version as a section of Markdown: its fields as a table, then its rules.
std::string FieldTables(const schema::ResourceVersion& version);

}  // namespace hearth::generate
