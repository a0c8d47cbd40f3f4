#include "snapshot/artifact/contents.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "json/builder.h"
#include "json/parse.h"

namespace hearth::snapshot {
namespace {

using json::Value;

constexpr int kVersion = 1;
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

Result<StoredFile> ReadFile(const Value& value, uint64_t chunk_bytes) {
  const Value* const name = value.IsObject() ? value.Find("name") : nullptr;
  const Value* const digests = value.IsObject() ? value.Find("digests") : nullptr;
  if (name == nullptr || !name->IsString() || digests == nullptr || !digests->IsArray()) {
    return Wrong("a file must have a name and digests");
  }
  StoredFile file{.name = name->string()};
  RETURN_IF_ERROR(CheckFileName(file.name).WithContext(kContentsFile));
  ASSIGN_OR_RETURN(file.bytes, Number(value, "bytes"));
  if (digests->items().size() != ChunkCount(file.bytes, chunk_bytes)) {
    return Wrong(fmt::format("{} has {} bytes and {} digests", file.name, file.bytes,
                             digests->items().size()));
  }
  file.chunks.reserve(digests->items().size());
  for (const Value& each : digests->items()) {
    ASSIGN_OR_RETURN(const Chunk chunk, ReadChunk(each, file.name));
    file.chunks.push_back(chunk);
  }
  return file;
}

}  // namespace

uint64_t Contents::TotalBytes() const {
  uint64_t sum = 0;
  for (const StoredFile& file : files) {
    sum += file.bytes;
  }
  return sum;
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
  out.BeginObject().Key("version").Int(kVersion).Key("chunkBytes").Uint(contents.chunk_bytes);
  out.Key("files").BeginArray();
  for (const StoredFile& file : contents.files) {
    out.BeginObject().Key("name").String(file.name).Key("bytes").Uint(file.bytes);
    out.Key("digests").BeginArray();
    for (const Chunk& chunk : file.chunks) {
      out.String(chunk.zero ? kZeros : chunk.digest.Hex());
    }
    out.EndArray().EndObject();
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
  if (version != kVersion) {
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
  return contents;
}

}  // namespace hearth::snapshot
