#include "http/internal/response_decoder.h"

#include <fmt/format.h>

#include <optional>

#include "http/internal/beast_parser.h"

namespace hearth::http {
namespace {

// A server that only ever says "wait" is not going to answer.
constexpr int kMaxInterim = 64;

class Parser final : public BeastParser<false> {
 public:
  Parser(const ResponseDecoder::Options& options, ResponseDecoder::Sink& sink)
      : BeastParser(options.max_head_bytes), sink_(sink) {
    skip(options.answers_head);
  }

  bool interim() const { return head_status_ / 100 == 1; }

 private:
  void on_request_impl(beast::http::verb /*method*/, beast::string_view /*text*/,
                       beast::string_view /*target*/, int /*version*/,
                       beast::error_code& /*error*/) override {}
  void on_response_impl(int status, beast::string_view /*reason*/, int version,
                        beast::error_code& error) override {
    set_http_version(version);
    head_status_ = status;
    head_.status = status;
    // We never ask for another protocol.
    if (status == 101 || status < 100) {
      error = BeastError::bad_status;
    }
  }
  void OnField(std::string_view name, std::string_view value) override {
    head_.headers.Add(name, value);
  }
  void OnHeadDone(beast::error_code& /*error*/) override {
    if (!interim()) {
      sink_.OnHead(std::move(head_));
    }
  }
  void OnBody(std::string_view bytes, beast::error_code& /*error*/) override {
    sink_.OnBody(bytes, ReadableFrom(bytes.data()));
  }

  ResponseDecoder::Sink& sink_;
  Response head_;
  int head_status_ = 0;
};

Status ToStatus(const beast::error_code& error, size_t max_head_bytes) {
  if (error == BeastError::header_limit) {
    return ExhaustedError(
        fmt::format("the answer's head or a line of it is longer than {} bytes", max_head_bytes));
  }
  return DataLossError("the answer is not valid HTTP: " + error.message());
}

}  // namespace

struct ResponseDecoder::Impl {
  Impl(const Options& o, Sink& s) : options(o), sink(s), feeder(o.max_head_bytes) {
    parser.emplace(options, sink);
  }

  const Options options;
  Sink& sink;
  Feeder<Parser> feeder;
  std::optional<Parser> parser;
  int interim_count = 0;
  bool started = false;
  bool surplus = false;
};

ResponseDecoder::ResponseDecoder(const Options& options, Sink& sink)
    : impl_(std::make_unique<Impl>(options, sink)) {}
ResponseDecoder::~ResponseDecoder() = default;

Status ResponseDecoder::Decode(std::string_view bytes, size_t readable) {
  impl_->started = impl_->started || !bytes.empty();
  while (!bytes.empty() && !done()) {
    beast::error_code error;
    const size_t taken = impl_->feeder.Feed(*impl_->parser, bytes, readable, error);
    if (error) {
      return ToStatus(error, impl_->options.max_head_bytes);
    }
    bytes.remove_prefix(taken);
    readable -= taken;
    if (impl_->parser->is_done() && impl_->parser->interim()) {
      if (++impl_->interim_count > kMaxInterim) {
        return DataLossError("the server sends interim answers without end");
      }
      impl_->parser.emplace(impl_->options, impl_->sink);
    }
  }
  impl_->surplus = impl_->surplus || !bytes.empty();
  return Status::Ok();
}

Status ResponseDecoder::DecodeEnd(bool clean) {
  if (done()) {
    return Status::Ok();
  }
  if (!head_done()) {
    return DataLossError(impl_->started ? "the connection ended inside the head of the answer"
                                        : "the connection ended before the answer");
  }
  if (!impl_->parser->need_eof() || !clean) {
    return DataLossError("the connection ended before the answer did");
  }
  beast::error_code error;
  impl_->parser->put_eof(error);
  return error ? ToStatus(error, impl_->options.max_head_bytes) : Status::Ok();
}

bool ResponseDecoder::started() const { return impl_->started; }
bool ResponseDecoder::head_done() const {
  return impl_->parser->is_header_done() && !impl_->parser->interim();
}
bool ResponseDecoder::done() const { return impl_->parser->is_done() && !impl_->parser->interim(); }
size_t ResponseDecoder::bytes_owed() const { return impl_->parser->bytes_owed(); }
bool ResponseDecoder::reusable() const {
  return done() && impl_->parser->keep_alive() && !impl_->surplus;
}

}  // namespace hearth::http
