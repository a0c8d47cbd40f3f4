#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "agent/receive/direct_writer.h"
#include "base/result.h"
#include "snapshot/artifact/folder_digester.h"

namespace hearth::agent::receive {

// An image of pages while it is received: it grows at its end. Not thread-safe.
class PageSink {
 public:
  virtual ~PageSink() = default;

  // Where the next bytes belong: at least one, at most `wish`.
  virtual std::span<std::byte> Next(uint64_t wish) = 0;
  // So many of them are there now.
  virtual Status Filled(uint64_t bytes) = 0;
  // There are no more.
  virtual Status End() = 0;
  // After the end, and when the store was drained: on the disk when it returns.
  virtual Result<snapshot::DigestedFile> Complete() = 0;
};

// Where images of pages go. Has threads of its own; used by one other. Goes before its images.
class PageStore {
 public:
  virtual ~PageStore() = default;

  // Made in `directory`, where nothing of the name may be. `expected` bytes are going to come; more
  // or less is no harm.
  virtual Result<std::unique_ptr<PageSink>> Create(int directory, const std::string& name,
                                                   uint64_t expected) = 0;
  // Everything is written, though not synced, when it returns well; the first failure otherwise.
  virtual Status Drain() = 0;
};

// As they are, past the page cache.
std::unique_ptr<PageStore> MakeDirectStore(const WriterOptions& options);
// Each chunk compressed. Through the page cache: whoever restores from it soon finds it there, and
// compressing takes longer than copying.
std::unique_ptr<PageStore> MakePackedStore();

}  // namespace hearth::agent::receive
