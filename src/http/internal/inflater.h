#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hearth::http {

// Undoes gzip piece by piece. The caller pulls, so a small input that unfolds without end does no
// harm. Not thread-safe.
class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  static constexpr size_t kBufferSize = 64 << 10;
  static constexpr size_t kPadding = 64;

  // The next compressed bytes. Earlier ones must have been pulled; these must stay until pulled or
  // kept.
  void SetInput(std::string_view compressed);
  // The next decoded bytes, valid until the next call, kPadding readable bytes behind them; empty
  // when more input is needed. kDataLoss when the data is corrupt.
  Result<std::string_view> Pull();
  // Copies the input not used yet: the caller's bytes go away.
  void KeepInput();
  // More input behind what was kept.
  void AppendInput(std::string_view compressed);
  bool has_input() const;
  // The data ended where it said it would. (Nothing at all counts as the end, too.)
  bool complete() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::http
