#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/wait_limit.h"
#include "snapshot/artifact/artifact.h"

namespace hearth::snapshot {

// One chunk that is not what was captured.
struct Damage {
  std::string file;
  uint64_t chunk = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::string message;  // "pages-1.img: chunk 17 (bytes 17825792 to 18874367) ..."
};

struct VerifyReport {
  uint64_t bytes = 0;  // read and compared; holes are not read
  uint64_t chunks = 0;
  std::vector<Damage> damages;  // by file and chunk
};

struct VerifyOptions {
  std::function<bool(const StoredFile& file)> only;  // empty: all
  bool stop_at_first = false;
  // Grows by the bytes that are done; null: nobody counts. Must outlive the call.
  std::atomic<uint64_t>* progress = nullptr;
};

// Reads the files of an artifact and compares them with its digests, with all processors and
// through the page cache: whoever reads next finds them there. (What needs no reading was verified
// when the artifact was opened.) An error only when reading fails or the limit is over; what is
// wrong is in the report. kUnsupported for an artifact without digests.
Result<VerifyReport> VerifyFiles(const Artifact& artifact, const VerifyOptions& options,
                                 const WaitLimit& limit);

// kDataLoss with the first damage, if there is any.
Status Intact(const VerifyReport& report);

}  // namespace hearth::snapshot
