#include "cli/bundle/tar_gz.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace hearth::bundle {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kNameField = 100;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to say gzip

// A header of the old format that every tar reads: fields at fixed places, octal numbers.
class Header {
 public:
  Header(std::string_view name, char type, uint64_t size, int64_t seconds) {
    Put(0, name.substr(0, kNameField));
    Put(100, "0000600");
    Put(108, "0000000");
    Put(116, "0000000");
    Put(124, fmt::format("{:011o}", size));
    Put(136, fmt::format("{:011o}", std::max<int64_t>(seconds, 0)));
    Put(148, "        ");
    bytes_[156] = type;
    Put(257, "ustar  ");
    uint32_t sum = 0;
    for (const char c : bytes_) {
      sum += static_cast<unsigned char>(c);
    }
    Put(148, fmt::format("{:06o}", sum));
    bytes_[154] = '\0';
  }
  std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }

 private:
  void Put(size_t at, std::string_view text) {
    std::copy(text.begin(), text.end(), bytes_.begin() + static_cast<ptrdiff_t>(at));
  }
  std::array<char, kBlock> bytes_{};
};

}  // namespace

void TarGz::AddEntry(std::string_view name, char type, std::string_view bytes) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(modified_.time_since_epoch()).count();
  tar_ += Header(name, type, bytes.size(), seconds).bytes();
  tar_ += bytes;
  tar_.append((kBlock - bytes.size() % kBlock) % kBlock, '\0');
}

void TarGz::Add(std::string_view name, std::string_view bytes) {
  if (name.size() > kNameField) {
    // The name of the next entry, as GNU tar has it.
    AddEntry("././@LongLink", 'L', std::string(name) + '\0');
  }
  AddEntry(name, '0', bytes);
}

std::string TarGz::Finish() {
  tar_.append(2 * kBlock, '\0');
  z_stream stream{};
  CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                     Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, tar_.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(tar_.data());
  stream.avail_in = static_cast<uInt>(tar_.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace hearth::bundle
