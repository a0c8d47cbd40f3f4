#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "base/testing/temp_directory.h"
#include "base/unique_fd.h"
#include "participant.h"

namespace hearth::bench {

inline constexpr uint64_t kPieceBytes = 4096;

// Pieces of memory in another process, handed out and mapped by a loop that does only what the
// kernel must: what attaching to a server is compared with.
class BareServer {
 public:
  static Result<std::unique_ptr<BareServer>> Start(size_t pieces);

  // Seconds to connect, ask with one byte, receive all descriptors, 253 at a time, map each into
  // one reserved range and close it.
  Result<double> MeasureAttach() const;
  // Seconds to unmap all of them and to do that again, at the same addresses.
  Result<double> MeasureAttachAgain() const;

 private:
  BareServer(size_t pieces, std::unique_ptr<TempDirectory> directory, Participant server)
      : pieces_(pieces), directory_(std::move(directory)), server_(std::move(server)) {}

  size_t pieces_;
  std::unique_ptr<TempDirectory> directory_;
  Participant server_;
};

// Seconds to unmap so many pieces and to map them again at the same addresses.
Result<double> MeasureBareRemap(size_t pieces);

}  // namespace hearth::bench
