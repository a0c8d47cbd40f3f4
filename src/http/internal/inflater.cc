#include "http/internal/inflater.h"

#include <zlib.h>

#include "base/check.h"

namespace hearth::http {
namespace {

// The largest window, in a gzip wrapper.
constexpr int kGzipWindow = 15 + 16;

Bytef* Bytes(const char* text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text));  // zlib does not write there
}

}  // namespace

struct Inflater::Impl {
  z_stream stream{};
  bool in_member = false;  // between the beginning and the end of one gzip member
  // zlib keeps output of its own: it may have more without new input.
  bool output_was_full = false;
  std::string kept;
  std::unique_ptr<char[]> output{new char[kBufferSize + kPadding]()};
};

Inflater::Inflater() : impl_(std::make_unique<Impl>()) {
  CHECK(inflateInit2(&impl_->stream, kGzipWindow) == Z_OK) << "zlib cannot start";
}

Inflater::~Inflater() { inflateEnd(&impl_->stream); }

void Inflater::SetInput(std::string_view compressed) {
  impl_->stream.next_in = Bytes(compressed.data());
  impl_->stream.avail_in = static_cast<uInt>(compressed.size());
}

void Inflater::KeepInput() {
  std::string rest(reinterpret_cast<const char*>(impl_->stream.next_in), impl_->stream.avail_in);
  impl_->kept = std::move(rest);
  SetInput(impl_->kept);
}

void Inflater::AppendInput(std::string_view compressed) {
  KeepInput();
  impl_->kept.append(compressed);
  SetInput(impl_->kept);
}

bool Inflater::has_input() const {
  return impl_->stream.avail_in > 0 || (impl_->in_member && impl_->output_was_full);
}

bool Inflater::complete() const { return !impl_->in_member && impl_->stream.avail_in == 0; }

Result<std::string_view> Inflater::Pull() {
  z_stream& stream = impl_->stream;
  while (has_input()) {
    impl_->in_member = true;
    stream.next_out = reinterpret_cast<Bytef*>(impl_->output.get());
    stream.avail_out = kBufferSize;
    const int result = inflate(&stream, Z_NO_FLUSH);
    impl_->output_was_full = stream.avail_out == 0;
    if (result == Z_STREAM_END) {
      impl_->in_member = false;
      inflateReset(&stream);  // another member may follow
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      return DataLossError(std::string("the gzip data is corrupt: ") +
                           (stream.msg == nullptr ? "unknown cause" : stream.msg));
    }
    if (const size_t count = kBufferSize - stream.avail_out; count > 0) {
      return std::string_view(impl_->output.get(), count);
    }
  }
  return std::string_view();
}

}  // namespace hearth::http
