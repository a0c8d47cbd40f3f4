#pragma once

#include <string>

#include "base/result.h"

namespace hearth::bench {

// What the disk can do, measured with fio: io_uring, direct, registered buffers and files, 1 MiB
// blocks, 32 deep. kNotFound without fio.
struct DiskRead {
  double rate = 0;         // bytes a second
  double cpu_seconds = 0;  // while it read
};
Result<DiskRead> MeasureRead(const std::string& file);
// A new file of that size, with its room made first, until it is durable. Removed afterwards.
// Bytes a second.
Result<double> MeasureWrite(const std::string& file, uint64_t bytes);
// Without making room.
Result<double> MeasurePlainWrite(const std::string& file, uint64_t bytes);

// CPU seconds of cp to `to`, with nothing of the file in the page cache. Removed afterwards.
Result<double> MeasureCp(const std::string& from, const std::string& to);

}  // namespace hearth::bench
