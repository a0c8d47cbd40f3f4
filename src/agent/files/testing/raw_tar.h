#pragma once

#include <string>
#include <string_view>

namespace hearth::agent::files {

// An entry of an archive as nobody should make one: what is given stands there as it is.
struct RawTarEntry {
  std::string_view name;
  char type = '0';
  std::string_view target;
  std::string_view bytes;
};
std::string RawTar(const RawTarEntry& entry);
std::string RawTarEnd();

}  // namespace hearth::agent::files
