#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/files/internal/directory_names.h"
#include "base/status.h"

namespace hearth::agent::files {

// Directories, or names of one, that are still to be walked by whoever has time. A walker takes a
// piece, may put further ones, and says when it is done with it; when nobody walks and nothing is
// left, all are told. Thread-safe.
class DirectoryQueue {
 public:
  struct Piece {
    std::string path;
    std::optional<std::vector<DirectoryName>> names;  // of that directory; nothing: all of it
  };

  void Put(Piece piece);
  // Waits for a piece; nothing when there will be none.
  std::optional<Piece> Take();
  // After a failure nothing is handed out any more.
  void Done(const Status& outcome);
  Status outcome() const;  // the first failure

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Piece> pieces_;  // the last one first: what is near on disk stays together
  int walking_ = 0;
  Status outcome_;
};

}  // namespace hearth::agent::files
