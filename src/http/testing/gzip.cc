#include "http/testing/gzip.h"

#include <zlib.h>

#include "base/check.h"

namespace hearth::http {

std::string Gzip(std::string_view plain) {
  constexpr int kGzipWindow = 15 + 16;
  constexpr int kMemoryLevel = 8;
  z_stream stream{};
  CHECK(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) == Z_OK)
      << "zlib cannot start";
  std::string result(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END) << "deflate did not finish";
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

}  // namespace hearth::http
