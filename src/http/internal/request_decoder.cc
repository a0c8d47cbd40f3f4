#include "http/internal/request_decoder.h"

#include <fmt/format.h>

#include "http/internal/beast_parser.h"

namespace hearth::http {
namespace {

class Parser final : public BeastParser<true> {
 public:
  Parser(const RequestDecoder::Limits& limits, RequestDecoder::Sink& sink)
      : BeastParser(limits.max_head_bytes), limits_(limits), sink_(sink) {}

  // Why the parser was told to stop, when Beast's own words do not say it.
  const Status& refusal() const { return refusal_; }

 private:
  void on_request_impl(beast::http::verb /*verb*/, beast::string_view method,
                       beast::string_view target, int version,
                       beast::error_code& /*error*/) override {
    set_http_version(version);
    head_.http_1_0 = version < 11;
    head_.message.method = std::string(View(method));
    head_.message.target = std::string(View(target));
  }
  void on_response_impl(int /*status*/, beast::string_view /*reason*/, int /*version*/,
                        beast::error_code& /*error*/) override {}

  void OnField(std::string_view name, std::string_view value) override {
    head_.message.headers.Add(name, value);
  }

  void OnHeadDone(beast::error_code& error) override {
    if (!CheckHead().ok()) {
      error = BeastError::bad_value;
      return;
    }
    head_.keep_alive = keep_alive();
    sink_.OnHead(std::move(head_));
  }

  void OnBody(std::string_view bytes, beast::error_code& error) override {
    body_bytes_ += bytes.size();
    if (body_bytes_ > limits_.max_body_bytes) {
      Refuse(413, TooLong());
      error = BeastError::body_limit;
      return;
    }
    sink_.OnBody(bytes);
  }

  Status CheckHead() {
    const Headers& headers = head_.message.headers;
    if (headers.GetAll("Host").size() != 1 && !head_.http_1_0) {
      return Refuse(400, "a request needs exactly one Host field");
    }
    if (const std::string_view expected = headers.Get("Expect"); !expected.empty()) {
      if (!EqualIgnoreCase(expected, "100-continue")) {
        return Refuse(417, "only 100-continue can be expected");
      }
      head_.expects_continue = !head_.http_1_0;
    }
    if (content_length().value_or(0) > limits_.max_body_bytes) {
      return Refuse(413, TooLong());
    }
    return Status::Ok();
  }

  std::string TooLong() const {
    return fmt::format("the request's body is longer than {} bytes", limits_.max_body_bytes);
  }
  const Status& Refuse(int http_code, std::string message) {
    refusal_ = InvalidError(std::move(message)).WithHttpCode(http_code);
    return refusal_;
  }

  const RequestDecoder::Limits limits_;
  RequestDecoder::Sink& sink_;
  RequestHead head_;
  uint64_t body_bytes_ = 0;
  Status refusal_;
};

int HttpCode(const beast::error_code& error) {
  if (error == BeastError::header_limit) {
    return 431;
  }
  if (error == BeastError::bad_version) {
    return 505;
  }
  return error == BeastError::bad_transfer_encoding ? 501 : 400;
}

}  // namespace

struct RequestDecoder::Impl {
  Impl(const Limits& limits, Sink& sink)
      : max_head_bytes(limits.max_head_bytes), parser(limits, sink), feeder(max_head_bytes) {}

  Status ToStatus(const beast::error_code& error) const {
    if (!parser.refusal().ok()) {
      return parser.refusal();
    }
    const std::string message =
        error == BeastError::header_limit
            ? fmt::format("the request's head or a line of it is longer than {} bytes",
                          max_head_bytes)
            : "the request is not valid HTTP: " + error.message();
    return InvalidError(message).WithHttpCode(HttpCode(error));
  }

  const size_t max_head_bytes;
  Parser parser;
  Feeder<Parser> feeder;
  bool started = false;
};

RequestDecoder::RequestDecoder(const Limits& limits, Sink& sink)
    : impl_(std::make_unique<Impl>(limits, sink)) {}
RequestDecoder::~RequestDecoder() = default;

Result<size_t> RequestDecoder::Decode(std::string_view bytes) {
  impl_->started = impl_->started || !bytes.empty();
  beast::error_code error;
  const size_t taken = impl_->feeder.Feed(impl_->parser, bytes, bytes.size(), error);
  if (error) {
    return impl_->ToStatus(error);
  }
  return taken;
}

bool RequestDecoder::started() const { return impl_->started; }
bool RequestDecoder::head_done() const { return impl_->parser.is_header_done(); }
bool RequestDecoder::done() const { return impl_->parser.is_done(); }

}  // namespace hearth::http
