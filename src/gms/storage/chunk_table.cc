#include "gms/storage/chunk_table.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace hearth::gms::storage {
namespace {

constexpr std::string_view kMagic = "HRTHCHNK";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeaderBytes = 32;
constexpr size_t kDigestBytes = 16;
constexpr size_t kBitsPerByte = 8;

template <typename Int>
void Append(std::string& out, Int value) {
  for (size_t i = 0; i < sizeof(Int); ++i) {
    out.push_back(static_cast<char>(value >> (kBitsPerByte * i)));
  }
}

template <typename Int>
Int Take(std::string_view& bytes) {
  Int value = 0;
  for (size_t i = 0; i < sizeof(Int); ++i) {
    value |= static_cast<Int>(static_cast<unsigned char>(bytes[i])) << (kBitsPerByte * i);
  }
  bytes.remove_prefix(sizeof(Int));
  return value;
}

size_t BitmapBytes(uint64_t count) { return (count + kBitsPerByte - 1) / kBitsPerByte; }

std::string Bitmap(const ChunkTable& table) {
  std::string bits(BitmapBytes(table.chunks.size()), '\0');
  for (size_t i = 0; i < table.chunks.size(); ++i) {
    if (table.chunks[i].zero) {
      bits[i / kBitsPerByte] |= static_cast<char>(1U << (i % kBitsPerByte));
    }
  }
  return bits;
}

Status CheckHeader(uint32_t version, uint64_t chunk_bytes) {
  if (version != kVersion) {
    return InvalidError(fmt::format("chunk table: version {} is not known", version));
  }
  if (!std::has_single_bit(chunk_bytes) || chunk_bytes < kMinChunkBytes ||
      chunk_bytes > kMaxChunkBytes) {
    return InvalidError(fmt::format("chunk table: {} is no size of a chunk", chunk_bytes));
  }
  return {};
}

}  // namespace

uint64_t ChunkCount(uint64_t bytes, uint64_t chunk_bytes) {
  return bytes / chunk_bytes + (bytes % chunk_bytes != 0 ? 1 : 0);
}

std::string WriteChunkTable(const ChunkTable& table) {
  std::string out(kMagic);
  Append(out, kVersion);
  Append(out, uint32_t{0});
  Append(out, table.chunk_bytes);
  Append(out, static_cast<uint64_t>(table.chunks.size()));
  for (const ChunkRecord& chunk : table.chunks) {
    Append(out, chunk.digest.high);
    Append(out, chunk.digest.low);
  }
  return out + Bitmap(table);
}

Result<ChunkTable> ReadChunkTable(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) {
    return InvalidError("chunk table: it does not begin as one");
  }
  bytes.remove_prefix(kMagic.size());
  const auto version = Take<uint32_t>(bytes);
  Take<uint32_t>(bytes);
  ChunkTable table;
  table.chunk_bytes = Take<uint64_t>(bytes);
  const auto count = Take<uint64_t>(bytes);
  RETURN_IF_ERROR(CheckHeader(version, table.chunk_bytes));
  // Divided, so that a huge count cannot wrap around.
  if (count > bytes.size() / kDigestBytes ||
      bytes.size() != count * kDigestBytes + BitmapBytes(count)) {
    return DataLossError(
        fmt::format("chunk table: {} bytes do not hold {} chunks", bytes.size(), count));
  }
  const std::string_view bits = bytes.substr(count * kDigestBytes);
  table.chunks.resize(count);
  for (uint64_t i = 0; i < count; ++i) {
    table.chunks[i].digest.high = Take<uint64_t>(bytes);
    table.chunks[i].digest.low = Take<uint64_t>(bytes);
    table.chunks[i].zero =
        ((static_cast<unsigned char>(bits[i / kBitsPerByte]) >> (i % kBitsPerByte)) & 1U) != 0;
  }
  return table;
}

}  // namespace hearth::gms::storage
