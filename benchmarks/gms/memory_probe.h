#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace hearth::bench {

// Bytes a second that two threads copy between pages that are there already.
Result<double> MeasureMemcpy(uint64_t bytes);
// Bytes a second that two threads copy from a file in memory, mapped for it, to fresh memory that
// can be shared: what a load from such a file has to do at least. Huge pages must be reserved.
Result<double> MeasureFreshCopy(const std::string& file, uint64_t bytes, bool huge);
// CPU seconds to get so many bytes of fresh huge pages, cleared as the kernel does it. They must be
// reserved.
Result<double> MeasureClearingHugePages(uint64_t bytes);

}  // namespace hearth::bench
