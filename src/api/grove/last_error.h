#pragma once

#include <string>

#include "api/table/struct_table.h"

namespace hearth::api::grove {

// An error of the latest pass over an object, in its status.
struct LastError {
  std::string code;  // "ERR_CREATE_POD"
  std::string description;
  std::string observed_at;
  static const StructTable& Fields();
};

// status.lastErrors.
Node LastErrorList();

}  // namespace hearth::api::grove
