#pragma once

#include <vector>

#include "figures.h"
#include "report.h"

namespace hearth::bench {

// What the figures say about each goal. Pure.
std::vector<Row> MakeRows(const Figures& figures);

}  // namespace hearth::bench
