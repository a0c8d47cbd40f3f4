#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/status.h"

// Blocks of bytes, each compressed by itself with zstd.
namespace hearth::disk::zstd {

// Not thread-safe: one for each thread.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  // How many bytes of `out` it takes; 0 when it does not fit there.
  size_t Compress(std::string_view block, std::span<char> out);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// Of what anybody may have written. Not thread-safe: one for each thread.
class Expander {
 public:
  Expander();
  ~Expander();
  Expander(const Expander&) = delete;
  Expander& operator=(const Expander&) = delete;

  // Fills `out`, never more and, when it is ok, never less. kDataLoss: it is no such block.
  Status Expand(std::string_view compressed, std::span<char> out);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace hearth::disk::zstd
