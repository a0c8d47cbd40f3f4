#pragma once

#include <cstdint>

#include "base/result.h"

namespace hearth::bench {

// Bytes a second that two threads copy between pages that are there already.
Result<double> MeasureMemcpy(uint64_t bytes);
// CPU seconds to get so many bytes of fresh huge pages, cleared as the kernel does it. They must be
// reserved.
Result<double> MeasureClearingHugePages(uint64_t bytes);

}  // namespace hearth::bench
