#include "disk/zstd/block.h"

#include <fmt/format.h>
#include <zstd.h>

#include "base/check.h"

namespace hearth::disk::zstd {
namespace {

// The fastest that still finds most: whoever is captured waits for it.
constexpr int kLevel = 1;

}  // namespace

struct Compressor::Context {
  Context() : zstd(::ZSTD_createCCtx()) { CHECK(zstd != nullptr) << "no memory for zstd"; }
  ~Context() { ::ZSTD_freeCCtx(zstd); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ZSTD_CCtx* zstd;
};

Compressor::Compressor() : context_(std::make_unique<Context>()) {}
Compressor::~Compressor() = default;

size_t Compressor::Compress(std::string_view block, std::span<char> out) {
  const size_t took = ::ZSTD_compressCCtx(context_->zstd, out.data(), out.size(), block.data(),
                                          block.size(), kLevel);
  return ::ZSTD_isError(took) != 0U ? 0 : took;
}

struct Expander::Context {
  Context() : zstd(::ZSTD_createDCtx()) { CHECK(zstd != nullptr) << "no memory for zstd"; }
  ~Context() { ::ZSTD_freeDCtx(zstd); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ZSTD_DCtx* zstd;
};

Expander::Expander() : context_(std::make_unique<Context>()) {}
Expander::~Expander() = default;

Status Expander::Expand(std::string_view compressed, std::span<char> out) {
  const size_t made = ::ZSTD_decompressDCtx(context_->zstd, out.data(), out.size(),
                                            compressed.data(), compressed.size());
  if (::ZSTD_isError(made) != 0U) {
    return DataLossError(fmt::format("zstd: {}", ::ZSTD_getErrorName(made)));
  }
  return made == out.size() ? Status::Ok()
                            : DataLossError(fmt::format("zstd: {} bytes came out instead of {}",
                                                        made, out.size()));
}

}  // namespace hearth::disk::zstd
