#pragma once

#include <memory>

#include "grove/scheduler/backend.h"

// What backend.cc lists, a file for each.
namespace hearth::grove::internal {

std::unique_ptr<Backend> MakeDefaultBackend();
std::unique_ptr<Backend> MakeKaiBackend();
std::unique_ptr<Backend> MakeVolcanoBackend();
std::unique_ptr<Backend> MakeLpxBackend();

}  // namespace hearth::grove::internal
