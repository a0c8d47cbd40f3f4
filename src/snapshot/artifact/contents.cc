#include "snapshot/artifact/contents.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "json/builder.h"
#include "json/parse.h"

namespace hearth::snapshot {
namespace {

using json::Value;

// Of tables without compressed files, which older releases read, and with such files.
constexpr int kVersion = 1;
constexpr int kPackedVersion = 2;
constexpr std::string_view kZeros = "0";
constexpr uint64_t kSmallestChunk = 4096;
constexpr uint64_t kLargestChunk = 64ULL << 20;
constexpr size_t kLongestName = 255;

Status Wrong(std::string_view what) {
  return InvalidError(fmt::format("{}: {}", kContentsFile, what));
}

Result<uint64_t> Number(const Value& map, std::string_view name) {
  const Value* const value = map.Find(name);
  const auto number = value == nullptr ? std::nullopt : value->Int();
  if (!number || *number < 0) {
    return Wrong(fmt::format("'{}' must be a whole number", name));
  }
  return static_cast<uint64_t>(*number);
}

Result<Chunk> ReadChunk(const Value& value, const std::string& file) {
  if (value.IsString() && value.string() == kZeros) {
    return Chunk{.zero = true};
  }
  const auto digest = value.IsString() ? disk::Digest::FromHex(value.string()) : std::nullopt;
  if (!digest) {
    return Wrong(fmt::format("a digest of {} is not one", file));
  }
  return Chunk{.digest = *digest};
}

uint64_t BytesOfChunk(uint64_t bytes, uint64_t chunk, uint64_t chunk_bytes) {
  return std::min(chunk_bytes, bytes - chunk * chunk_bytes);
}

uint64_t Aligned(uint64_t bytes) {
  return (bytes + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment;
}

Result<uint32_t> ReadPackedSize(const Value& value, const Chunk& chunk, uint64_t most,
                                const std::string& file) {
  const auto size = value.Int();
  if (!size || *size < 0 || static_cast<uint64_t>(*size) > most) {
    return Wrong(fmt::format("a compressed size of {} is out of range", file));
  }
  if (chunk.zero != (*size == 0)) {
    return Wrong(fmt::format("{}: nothing but zeros takes no bytes, and nothing else", file));
  }
  return static_cast<uint32_t>(*size);
}

// Takes the place of the file's size, by which chunks are counted otherwise.
Result<uint64_t> PlainBytesOf(const Value& file, uint64_t bytes) {
  const Value* const packed = file.Find("zstd");
  if (packed == nullptr) {
    return bytes;
  }
  return packed->IsObject() ? Number(*packed, "bytes") : Wrong("'zstd' must be a map");
}

Result<Packing> ReadPacking(const Value& value, const StoredFile& file, uint64_t plain_bytes,
                            uint64_t chunk_bytes) {
  const Value* const sizes = value.Find("sizes");
  // Whoever reads a chunk has room for the bytes of one.
  const bool fits = chunk_bytes % kPackedAlignment == 0;
  if (!fits || !IsPageFile(file) || sizes == nullptr || !sizes->IsArray() ||
      sizes->items().size() != file.chunks.size()) {
    return Wrong(fmt::format("{} cannot be compressed so", file.name));
  }
  Packing packing;
  for (size_t i = 0; i < file.chunks.size(); ++i) {
    const uint64_t plain = BytesOfChunk(plain_bytes, i, chunk_bytes);
    ASSIGN_OR_RETURN(const uint32_t size,
                     ReadPackedSize(sizes->items()[i], file.chunks[i], plain, file.name));
    packing.Add(plain, size);
  }
  if (packing.file_bytes() != file.bytes) {
    return Wrong(fmt::format("{} has {} bytes, and its chunks have {}", file.name, file.bytes,
                             packing.file_bytes()));
  }
  return packing;
}

Result<StoredFile> ReadFile(const Value& value, uint64_t chunk_bytes) {
  const Value* const name = value.IsObject() ? value.Find("name") : nullptr;
  const Value* const digests = value.IsObject() ? value.Find("digests") : nullptr;
  if (name == nullptr || !name->IsString() || digests == nullptr || !digests->IsArray()) {
    return Wrong("a file must have a name and digests");
  }
  StoredFile file{.name = name->string()};
  RETURN_IF_ERROR(CheckFileName(file.name).WithContext(kContentsFile));
  ASSIGN_OR_RETURN(file.bytes, Number(value, "bytes"));
  ASSIGN_OR_RETURN(const uint64_t plain_bytes, PlainBytesOf(value, file.bytes));
  if (digests->items().size() != ChunkCount(plain_bytes, chunk_bytes)) {
    return Wrong(fmt::format("{} has {} bytes and {} digests", file.name, plain_bytes,
                             digests->items().size()));
  }
  file.chunks.reserve(digests->items().size());
  for (const Value& each : digests->items()) {
    ASSIGN_OR_RETURN(const Chunk chunk, ReadChunk(each, file.name));
    file.chunks.push_back(chunk);
  }
  if (const Value* const packed = value.Find("zstd"); packed != nullptr) {
    ASSIGN_OR_RETURN(file.packing, ReadPacking(*packed, file, plain_bytes, chunk_bytes));
  }
  return file;
}

}  // namespace

void Packing::Add(uint64_t plain_bytes, uint32_t packed_bytes) {
  sizes_.push_back(packed_bytes);
  offsets_.push_back(file_bytes_);
  plain_bytes_ += plain_bytes;
  file_bytes_ += Aligned(packed_bytes);
}

ChunkPlace PlaceOf(const StoredFile& file, uint64_t chunk, uint64_t chunk_bytes) {
  ChunkPlace place{.plain_offset = chunk * chunk_bytes,
                   .plain_bytes = BytesOfChunk(file.PlainBytes(), chunk, chunk_bytes)};
  if (!file.packing) {
    place.offset = place.plain_offset;
    place.bytes = place.plain_bytes;
    return place;
  }
  const uint64_t size = file.packing->sizes()[chunk];
  place.offset = file.packing->OffsetOf(chunk);
  place.bytes = Aligned(size);
  place.packed_bytes = size == place.plain_bytes ? 0 : size;
  return place;
}

uint64_t Contents::TotalBytes() const {
  uint64_t sum = 0;
  for (const StoredFile& file : files) {
    sum += file.bytes;
  }
  return sum;
}

uint64_t Contents::PlainBytes() const {
  uint64_t sum = 0;
  for (const StoredFile& file : files) {
    sum += file.PlainBytes();
  }
  return sum;
}

bool Contents::IsPacked() const {
  return std::any_of(files.begin(), files.end(),
                     [](const StoredFile& file) { return file.packing.has_value(); });
}

const StoredFile* Contents::Find(std::string_view name) const {
  const auto found = std::lower_bound(
      files.begin(), files.end(), name,
      [](const StoredFile& file, std::string_view wanted) { return file.name < wanted; });
  return found != files.end() && found->name == name ? &*found : nullptr;
}

uint64_t ChunkCount(uint64_t bytes, uint64_t chunk_bytes) {
  return bytes / chunk_bytes + (bytes % chunk_bytes == 0 ? 0 : 1);
}

Status CheckFileName(std::string_view name) {
  const bool printable =
      std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f && c != '/'; });
  return name.empty() || name.front() == '.' || name.size() > kLongestName || !printable
             ? InvalidError(
                   fmt::format("'{}' is not the name of an artifact's file", Excerpt(name, 100)))
             : Status::Ok();
}

std::string WriteContents(const Contents& contents) {
  json::Builder out;
  out.BeginObject().Key("version").Int(contents.IsPacked() ? kPackedVersion : kVersion);
  out.Key("chunkBytes").Uint(contents.chunk_bytes);
  out.Key("files").BeginArray();
  for (const StoredFile& file : contents.files) {
    out.BeginObject().Key("name").String(file.name).Key("bytes").Uint(file.bytes);
    out.Key("digests").BeginArray();
    for (const Chunk& chunk : file.chunks) {
      out.String(chunk.zero ? kZeros : chunk.digest.Hex());
    }
    out.EndArray();
    if (file.packing) {
      out.Key("zstd").BeginObject().Key("bytes").Uint(file.packing->plain_bytes());
      out.Key("sizes").BeginArray();
      for (const uint32_t size : file.packing->sizes()) {
        out.Uint(size);
      }
      out.EndArray().EndObject();
    }
    out.EndObject();
  }
  out.EndArray().EndObject();
  return out.Take() + "\n";
}

Result<Contents> ReadContents(std::string_view text) {
  auto document = json::ParseValue(text);
  if (!document.ok()) {
    return document.status().WithContext(kContentsFile);
  }
  if (!document->IsObject()) {
    return Wrong("must be a map");
  }
  ASSIGN_OR_RETURN(const uint64_t version, Number(*document, "version"));
  if (version != kVersion && version != kPackedVersion) {
    return Status(Code::kUnsupported,
                  fmt::format("{}: version {} is not known here", kContentsFile, version));
  }
  Contents contents;
  ASSIGN_OR_RETURN(contents.chunk_bytes, Number(*document, "chunkBytes"));
  if (contents.chunk_bytes < kSmallestChunk || contents.chunk_bytes > kLargestChunk) {
    return Wrong("'chunkBytes' is out of range");
  }
  const Value* const files = document->Find("files");
  if (files == nullptr || !files->IsArray()) {
    return Wrong("'files' must be a list");
  }
  for (const Value& each : files->items()) {
    ASSIGN_OR_RETURN(StoredFile file, ReadFile(each, contents.chunk_bytes));
    if (!contents.files.empty() && contents.files.back().name >= file.name) {
      return Wrong(fmt::format("{} is not in the order of names", file.name));
    }
    contents.files.push_back(std::move(file));
  }
  if (contents.IsPacked() && version != kPackedVersion) {
    return Wrong("compressed files are of a newer version than it says");
  }
  return contents;
}

}  // namespace hearth::snapshot
