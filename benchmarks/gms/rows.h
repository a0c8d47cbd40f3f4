#pragma once

#include <vector>

#include "names.h"
#include "report.h"

namespace hearth::bench {

enum class Part { kAll, kData, kControl };

// What the figures say about each goal. Pure.
std::vector<Row> MakeRows(const Figures& figures, Part part);

}  // namespace hearth::bench
