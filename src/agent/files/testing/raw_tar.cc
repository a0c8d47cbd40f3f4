#include "agent/files/testing/raw_tar.h"

#include <array>
#include <cstdio>
#include <cstring>

namespace hearth::agent::files {

std::string RawTar(const RawTarEntry& entry) {
  std::array<char, 512> header{};
  entry.name.copy(header.data(), 100);
  (void)std::snprintf(header.data() + 100, 8, "0000644");
  (void)std::snprintf(header.data() + 108, 8, "0000000");
  (void)std::snprintf(header.data() + 116, 8, "0000000");
  (void)std::snprintf(header.data() + 124, 12, "%011zo", entry.bytes.size());
  (void)std::snprintf(header.data() + 136, 12, "00000000000");
  std::memset(header.data() + 148, ' ', 8);
  header[156] = entry.type;
  entry.target.copy(header.data() + 157, 100);
  std::memcpy(header.data() + 257, "ustar\00000", 8);
  (void)std::snprintf(header.data() + 329, 8, "0000000");
  (void)std::snprintf(header.data() + 337, 8, "0000000");
  unsigned sum = 0;
  for (const char c : header) {
    sum += static_cast<unsigned char>(c);
  }
  (void)std::snprintf(header.data() + 148, 8, "%06o", sum);
  std::string out(header.data(), header.size());
  out += entry.bytes;
  out.append((512 - out.size() % 512) % 512, '\0');
  return out;
}

std::string RawTarEnd() { return std::string(1024, '\0'); }

}  // namespace hearth::agent::files
