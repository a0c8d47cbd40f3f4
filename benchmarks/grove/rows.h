#pragma once

#include <string>
#include <vector>

#include "figures.h"
#include "plan.h"
#include "report.h"

namespace hearth::bench {

// What the figures say about each goal. Pure.
std::vector<Row> MakeRows(const Figures& figures, const Plan& plan);

// Notes of every figure of an operator that it was not measured, and why.
void NotRun(Figures& figures, const std::string& operator_name, const std::string& why);

}  // namespace hearth::bench
