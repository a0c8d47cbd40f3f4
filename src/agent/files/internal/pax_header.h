#pragma once

#include <cstdint>
#include <string>

#include "agent/files/file_entry.h"

namespace hearth::agent::files {

inline constexpr uint64_t kTarBlock = 512;

// Everything of an archive that stands before the bytes of one entry: the extended header of POSIX
// (pax) with what the old one has no room for, the old header, and the map of a sparse file in the
// form GNU tar calls 1.0. Appended to `out`, a multiple of kTarBlock. Pure.
void AppendTarHeader(std::string& out, const FileEntry& entry);

// What follows: the bytes of the file, for a sparse one those of its extents one after the other;
// then zeros up to the next block.
uint64_t StoredBytes(const FileEntry& entry);

constexpr uint64_t TarPadding(uint64_t bytes) {
  return (kTarBlock - bytes % kTarBlock) % kTarBlock;
}

}  // namespace hearth::agent::files
