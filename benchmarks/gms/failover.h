#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

// Times that several processes take part in. Seconds.
namespace hearth::bench {

enum class LockKind { kOurs, kBareFlock };
// From the SIGKILL of a lock's holder until the one that waits has it.
Result<double> MeasureLockTakeOver(LockKind kind);

// From the SIGKILL of an engine until its standby, which waits for the lock, has everything mapped
// and has read a byte of each piece.
Result<double> MeasureFailover(const std::string& socket, size_t pieces);

// From the SIGKILL of a writer until the next one, which waits, is let in and has as much memory.
// The server must have no more memory than that.
Result<double> MeasureNextWriter(const std::string& socket, uint64_t bytes);

// So many processes attach at once, from the start of the first to the end of the last.
Result<double> MeasureReaders(const std::string& socket, size_t pieces, size_t readers);

}  // namespace hearth::bench
