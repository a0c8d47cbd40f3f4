#include "agent/files/internal/pax_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "agent/files/path_list.h"
#include "base/strings.h"

namespace hearth::agent::files {
namespace {

// The header of 1988.
struct OldHeader {
  std::array<char, 100> name;
  std::array<char, 8> mode;
  std::array<char, 8> uid;
  std::array<char, 8> gid;
  std::array<char, 12> size;
  std::array<char, 12> modified;
  std::array<char, 8> checksum;
  char type;
  std::array<char, 100> target;
  std::array<char, 8> magic;
  std::array<char, 32> user;
  std::array<char, 32> group;
  std::array<char, 8> device_major;
  std::array<char, 8> device_minor;
  std::array<char, 155> prefix;
  std::array<char, 12> unused;
};
static_assert(sizeof(OldHeader) == kTarBlock);

template <size_t kSize>
constexpr uint64_t LargestOctal(const std::array<char, kSize>& /*field*/) {
  return (uint64_t{1} << (3 * (kSize - 1))) - 1;
}

// False, and zero in its place, when it does not fit.
template <size_t kSize>
bool PutOctal(std::array<char, kSize>& field, uint64_t value) {
  const bool fits = value <= LargestOctal(field);
  uint64_t rest = fits ? value : 0;
  for (size_t i = kSize - 1; i-- > 0; rest >>= 3) {
    field[i] = static_cast<char>('0' + (rest & 7));
  }
  field[kSize - 1] = '\0';
  return fits;
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// False when it needs a record of its own; what fits stands here all the same.
bool PutText(std::array<char, 100>& field, std::string_view text) {
  std::memcpy(field.data(), text.data(), std::min(text.size(), field.size()));
  return text.size() <= field.size() && IsAscii(text);
}

void AppendNumber(std::string& out, uint64_t value) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

size_t DigitsOf(size_t value) {
  size_t digits = 1;
  for (; value >= 10; value /= 10) {
    ++digits;
  }
  return digits;
}

// "30 mtime=1794852640.412188535\n", where 30 counts itself.
void AppendRecord(std::string& out, std::string_view key, std::string_view value) {
  const size_t rest = key.size() + value.size() + 3;
  size_t length = rest + DigitsOf(rest);
  if (DigitsOf(length) != DigitsOf(rest)) {
    ++length;
  }
  AppendNumber(out, length);
  out += ' ';
  out += key;
  out += '=';
  out += value;
  out += '\n';
}

void AppendNumberRecord(std::string& out, std::string_view key, uint64_t value) {
  std::string text;
  AppendNumber(text, value);
  AppendRecord(out, key, text);
}

// Seconds with nine places; before 1970 the whole number is negative, not only its seconds.
void AppendTimeRecord(std::string& out, std::string_view key, const timespec& time) {
  constexpr int64_t kBillion = 1'000'000'000;
  const bool negative = time.tv_sec < 0;
  int64_t seconds = time.tv_sec;
  int64_t nanoseconds = time.tv_nsec;
  if (negative) {
    seconds = nanoseconds > 0 ? -(seconds + 1) : -seconds;
    nanoseconds = nanoseconds > 0 ? kBillion - nanoseconds : 0;
  }
  std::string text = negative ? "-" : "";
  AppendNumber(text, static_cast<uint64_t>(seconds));
  if (nanoseconds > 0) {
    std::string places;
    AppendNumber(places, static_cast<uint64_t>(nanoseconds));
    text += '.';
    text.append(9 - places.size(), '0');
    text += places;
  }
  AppendRecord(out, key, text);
}

// GNU tar's way to put any name into the key of a record.
std::string XattrKey(std::string_view name) {
  std::string key = "SCHILY.xattr.";
  for (const char c : name) {
    if (c == '%') {
      key += "%25";
    } else if (c == '=') {
      key += "%3D";
    } else {
      key += c;
    }
  }
  return key;
}

char TypeOf(FileKind kind) {
  switch (kind) {
    case FileKind::kRegular:
      return '0';
    case FileKind::kHardLink:
      return '1';
    case FileKind::kSymlink:
      return '2';
    case FileKind::kCharacterDevice:
      return '3';
    case FileKind::kBlockDevice:
      return '4';
    case FileKind::kDirectory:
      return '5';
    case FileKind::kFifo:
      return '6';
  }
  return '0';
}

std::string NameOf(const FileEntry& entry) {
  std::string name = "./" + entry.path;
  if (entry.kind == FileKind::kDirectory && !entry.path.empty()) {
    name += '/';
  }
  return name;
}

std::string TargetOf(const FileEntry& entry) {
  return entry.kind == FileKind::kHardLink ? "./" + entry.target : entry.target;
}

std::string SparseMap(const FileEntry& entry) {
  std::string map;
  // The end of the last hole is told by an extent without bytes.
  const bool ends_with_hole =
      entry.data.empty() || entry.data.back().offset + entry.data.back().size < entry.size;
  AppendNumber(map, entry.data.size() + (ends_with_hole ? 1 : 0));
  map += '\n';
  const auto add = [&map](const Extent& extent) {
    AppendNumber(map, extent.offset);
    map += '\n';
    AppendNumber(map, extent.size);
    map += '\n';
  };
  std::for_each(entry.data.begin(), entry.data.end(), add);
  if (ends_with_hole) {
    add({entry.size, 0});
  }
  map.append(TarPadding(map.size()), '\0');
  return map;
}

void Seal(OldHeader& header) {
  std::memcpy(header.magic.data(), "ustar\00000", 8);
  header.checksum.fill(' ');
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  uint64_t sum = 0;
  for (size_t i = 0; i < sizeof(header); ++i) {
    sum += bytes[i];
  }
  std::array<char, 7> digits;
  PutOctal(digits, sum);
  std::memcpy(header.checksum.data(), digits.data(), digits.size());
}

void AppendHeader(std::string& out, OldHeader& header) {
  Seal(header);
  out.append(reinterpret_cast<const char*>(&header), sizeof(header));
}

void AppendExtended(std::string& out, const std::string& records) {
  OldHeader header{};
  PutText(header.name, "./PaxHeaders/0");
  PutOctal(header.mode, 0600);
  PutOctal(header.uid, 0);
  PutOctal(header.gid, 0);
  PutOctal(header.size, records.size());
  PutOctal(header.modified, 0);
  header.type = 'x';
  AppendHeader(out, header);
  out += records;
  out.append(TarPadding(records.size()), '\0');
}

// Fills what the old header has room for, and gives the records of the rest.
std::string Divide(const FileEntry& entry, uint64_t bytes, OldHeader& header) {
  const std::string name = NameOf(entry);
  const std::string target = TargetOf(entry);
  std::string records;
  if (!ValidUtf8(name) || !ValidUtf8(target)) {
    AppendRecord(records, "hdrcharset", "BINARY");
  }
  if (entry.sparse) {
    AppendRecord(records, "GNU.sparse.major", "1");
    AppendRecord(records, "GNU.sparse.minor", "0");
    AppendRecord(records, "GNU.sparse.name", name);
    AppendNumberRecord(records, "GNU.sparse.realsize", entry.size);
    PutText(header.name, "./GNUSparseFile.0/0");
  } else if (!PutText(header.name, name)) {
    AppendRecord(records, "path", name);
  }
  if (!PutText(header.target, target)) {
    AppendRecord(records, "linkpath", target);
  }
  if (!PutOctal(header.uid, entry.uid)) {
    AppendNumberRecord(records, "uid", entry.uid);
  }
  if (!PutOctal(header.gid, entry.gid)) {
    AppendNumberRecord(records, "gid", entry.gid);
  }
  if (!PutOctal(header.size, bytes)) {
    AppendNumberRecord(records, "size", bytes);
  }
  if (entry.kind == FileKind::kHardLink) {
    return records;  // the first name has the rest
  }
  AppendTimeRecord(records, "mtime", entry.modified);
  AppendTimeRecord(records, "atime", entry.accessed);
  for (const Xattr& xattr : entry.xattrs) {
    AppendRecord(records, XattrKey(xattr.name), xattr.value);
  }
  return records;
}

}  // namespace

uint64_t StoredBytes(const FileEntry& entry) {
  if (entry.kind != FileKind::kRegular) {
    return 0;
  }
  if (!entry.sparse) {
    return entry.size;
  }
  uint64_t bytes = 0;
  for (const Extent& extent : entry.data) {
    bytes += extent.size;
  }
  return bytes;
}

void AppendTarHeader(std::string& out, const FileEntry& entry) {
  const std::string map = entry.sparse ? SparseMap(entry) : "";
  OldHeader header{};
  const std::string records = Divide(entry, map.size() + StoredBytes(entry), header);
  PutOctal(header.mode, entry.mode);
  PutOctal(header.modified, static_cast<uint64_t>(std::max<int64_t>(entry.modified.tv_sec, 0)));
  PutOctal(header.device_major, entry.device_major);
  PutOctal(header.device_minor, entry.device_minor);
  header.type = TypeOf(entry.kind);
  if (!records.empty()) {
    AppendExtended(out, records);
  }
  AppendHeader(out, header);
  out += map;
}

}  // namespace hearth::agent::files
