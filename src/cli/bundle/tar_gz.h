#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace hearth::bundle {

// A .tar.gz that is put together in memory. Files are plain ones, readable by their owner only.
class TarGz {
 public:
  explicit TarGz(WallTime modified) : modified_(modified) {}

  // `name` is a relative path without ".."; any length.
  void Add(std::string_view name, std::string_view bytes);
  // The archive; nothing may be added after that.
  std::string Finish();

 private:
  void AddEntry(std::string_view name, char type, std::string_view bytes);

  WallTime modified_;
  std::string tar_;
};

}  // namespace hearth::bundle
