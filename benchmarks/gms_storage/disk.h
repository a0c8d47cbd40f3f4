#pragma once

#include <string>

#include "base/result.h"

namespace hearth::bench {

// What the disk can do, measured with fio: io_uring, direct, registered buffers and files, 1 MiB
// blocks, 32 deep. Bytes a second. kNotFound without fio.
Result<double> MeasureRead(const std::string& file);
// A new file of that size, with its room made first, until it is durable. Removed afterwards.
Result<double> MeasureWrite(const std::string& file, uint64_t bytes);
// Without making room.
Result<double> MeasurePlainWrite(const std::string& file, uint64_t bytes);

}  // namespace hearth::bench
