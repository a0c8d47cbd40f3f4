#include "http/internal/server_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/stop_waker.h"
#include "base/strings.h"

namespace hearth::http {
namespace {

std::optional<uint64_t> DeclaredLength(const Headers& headers) {
  const std::string_view text = headers.Get("Content-Length");
  uint64_t length = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, length);
  if (text.empty() || error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return length;
}

class Writer final : public ResponseWriter {
 public:
  explicit Writer(std::shared_ptr<ServerExchange> exchange) : exchange_(std::move(exchange)) {}
  ~Writer() override { exchange_->Abandon(); }

  Status Send(Response response) override { return exchange_->Send(std::move(response)); }
  Status Begin(Response head) override { return exchange_->Begin(head); }
  Status Write(std::string_view bytes, const WaitLimit& limit) override {
    return exchange_->Write(bytes, limit);
  }
  Status Finish() override { return exchange_->Finish(); }
  std::stop_token stop() const override { return exchange_->stop(); }

 private:
  const std::shared_ptr<ServerExchange> exchange_;
};

class Reader final : public BodyReader {
 public:
  explicit Reader(std::shared_ptr<ServerExchange> exchange) : exchange_(std::move(exchange)) {}
  Result<std::string> Read(const WaitLimit& limit) override { return exchange_->ReadBody(limit); }

 private:
  const std::shared_ptr<ServerExchange> exchange_;
};

}  // namespace

ServerExchange::ServerExchange(const AnswerRules& rules)
    : rules_(rules), close_(!rules.keep_alive) {}

void ServerExchange::SetPoke(std::function<void()> poke) {
  std::lock_guard lock(mutex_);
  poke_ = std::move(poke);
}

void ServerExchange::PokeLoop() {
  if (poke_ && !poked_) {
    poked_ = true;
    poke_();
  }
}

ServerExchange::Outgoing ServerExchange::TakeOutgoing() {
  std::lock_guard lock(mutex_);
  poked_ = false;
  Outgoing outgoing;
  outgoing.pieces.swap(pieces_);
  outgoing.send_continue = std::exchange(continue_wanted_, false) && phase_ == Phase::kNotBegun;
  outgoing.finished = phase_ == Phase::kFinished;
  outgoing.close = close_;
  outgoing.aborted = aborted_;
  return outgoing;
}

void ServerExchange::OnWritten(size_t bytes) {
  std::lock_guard lock(mutex_);
  waiting_bytes_ -= std::min(bytes, waiting_bytes_);
  changed_.notify_all();
}

void ServerExchange::PushBody(std::string_view bytes) {
  std::lock_guard lock(mutex_);
  body_.append(bytes);
  changed_.notify_all();
}

bool ServerExchange::WantsBody() const {
  std::lock_guard lock(mutex_);
  return !body_ended_ && body_.size() < kQueueLimit;
}

void ServerExchange::EndBody(const Status& status) {
  std::lock_guard lock(mutex_);
  if (!body_ended_) {
    body_ended_ = true;
    body_end_ = status;
    close_ = close_ || !status.ok();
    changed_.notify_all();
  }
}

void ServerExchange::OnHangUp() {
  {
    std::lock_guard lock(mutex_);
    hung_up_ = true;
    close_ = true;
    changed_.notify_all();
  }
  stop_.request_stop();  // runs the handler's callbacks: not under our lock
}

void ServerExchange::CloseAfterAnswer() {
  std::lock_guard lock(mutex_);
  close_ = true;
}

void ServerExchange::Detach() {
  std::function<void()> dropped;
  std::lock_guard lock(mutex_);
  dropped.swap(poke_);
  pieces_.clear();
  waiting_bytes_ = 0;
  changed_.notify_all();
}

Status ServerExchange::Gone() const {
  return hung_up_ || !poke_ ? UnavailableError("the client is gone") : Status::Ok();
}

AnswerFraming ServerExchange::Framing(const Response& head) {
  bodyless_ = rules_.to_head || HasNoBody(head.status);
  AnswerFraming framing;
  if (!HasNoBody(head.status)) {
    framing.content_length = DeclaredLength(head.headers);
    framing.chunked = !framing.content_length && !rules_.http_1_0;
  }
  const bool until_close = !bodyless_ && !framing.content_length && !framing.chunked;
  // The rest of a body nobody reads would be taken for the next request.
  close_ = close_ || until_close || !body_ended_ ||
           EqualIgnoreCase(head.headers.Get("Connection"), "close");
  framing.close = close_;
  return framing;
}

Status ServerExchange::Send(Response response) {
  std::lock_guard lock(mutex_);
  if (phase_ != Phase::kNotBegun) {
    return InvalidError("the answer has already begun");
  }
  if (!poke_) {
    return Gone();
  }
  if (!rules_.to_head || !response.body.empty()) {
    response.headers.Set("Content-Length", std::to_string(response.body.size()));
  }
  ASSIGN_OR_RETURN(std::string head, WriteResponseHead(response, Framing(response)));
  phase_ = Phase::kFinished;
  QueueWhole(std::move(head));
  if (!bodyless_) {
    QueueWhole(std::move(response.body));
  }
  PokeLoop();
  return Status::Ok();
}

Status ServerExchange::Begin(const Response& response) {
  std::lock_guard lock(mutex_);
  if (phase_ != Phase::kNotBegun) {
    return InvalidError("the answer has already begun");
  }
  if (!response.body.empty()) {
    return InvalidError("the body of an answer in pieces goes through Write");
  }
  RETURN_IF_ERROR(Gone());
  const AnswerFraming framing = Framing(response);
  ASSIGN_OR_RETURN(std::string head, WriteResponseHead(response, framing));
  phase_ = Phase::kStreaming;
  chunked_ = framing.chunked;
  length_left_ = framing.content_length;
  QueueWhole(std::move(head));
  PokeLoop();
  return Status::Ok();
}

Status ServerExchange::CheckStreaming() const {
  if (phase_ != Phase::kStreaming) {
    return InvalidError("the answer has not begun, or is finished");
  }
  return Gone();
}

Status ServerExchange::CountAgainstLength(size_t bytes) {
  if (length_left_) {
    if (bytes > *length_left_) {
      return InvalidError("more bytes than the answer's Content-Length promised");
    }
    *length_left_ -= bytes;
  }
  return Status::Ok();
}

void ServerExchange::Queue(std::string_view bytes) {
  // Small pieces are joined: one write carries them all.
  if (pieces_.empty() || pieces_.back().size() + bytes.size() > kQueueLimit) {
    pieces_.emplace_back();
  }
  pieces_.back().append(bytes);
  waiting_bytes_ += bytes.size();
}

void ServerExchange::QueueWhole(std::string bytes) {
  if (bytes.size() < kQueueLimit / 4) {
    Queue(bytes);
    return;
  }
  waiting_bytes_ += bytes.size();
  pieces_.push_back(std::move(bytes));
}

void ServerExchange::QueueChunk(std::string_view bytes) {
  if (!chunked_) {
    Queue(bytes);
    return;
  }
  fmt::memory_buffer size_line;
  fmt::format_to(std::back_inserter(size_line), "{:x}\r\n", bytes.size());
  Queue({size_line.data(), size_line.size()});
  Queue(bytes);
  Queue("\r\n");
}

Status ServerExchange::Write(std::string_view bytes, const WaitLimit& limit) {
  const StopWaker waker(limit.stop, mutex_, changed_);
  std::unique_lock lock(mutex_);
  RETURN_IF_ERROR(CheckStreaming());
  if (bodyless_ || bytes.empty()) {
    return Status::Ok();
  }
  while (waiting_bytes_ > kQueueLimit) {
    RETURN_IF_ERROR(limit.Check(RealClock(), "writing an answer to a slow client"));
    RealClock().WaitUntil(lock, changed_, limit.deadline);
    RETURN_IF_ERROR(CheckStreaming());
  }
  RETURN_IF_ERROR(CountAgainstLength(bytes.size()));
  QueueChunk(bytes);
  PokeLoop();
  return Status::Ok();
}

Status ServerExchange::Finish() {
  std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(CheckStreaming());
  phase_ = Phase::kFinished;
  if (!bodyless_ && length_left_.value_or(0) > 0) {
    aborted_ = true;
    PokeLoop();
    return InvalidError("fewer bytes than the answer's Content-Length promised");
  }
  if (!bodyless_ && chunked_) {
    Queue("0\r\n\r\n");
  }
  PokeLoop();
  return Status::Ok();
}

void ServerExchange::Abandon() {
  {
    std::lock_guard lock(mutex_);
    if (phase_ == Phase::kStreaming) {
      phase_ = Phase::kFinished;
      aborted_ = true;
      PokeLoop();
    }
    if (phase_ == Phase::kFinished) {
      return;
    }
  }
  (void)Send({.status = 500, .body = "the request was not answered\n"});
}

Result<std::string> ServerExchange::ReadBody(const WaitLimit& limit) {
  const StopWaker waker(limit.stop, mutex_, changed_);
  std::unique_lock lock(mutex_);
  if (rules_.expects_continue && !body_ended_ && body_.empty()) {
    continue_wanted_ = true;
    PokeLoop();
  }
  while (body_.empty() && !body_ended_) {
    RETURN_IF_ERROR(Gone());
    RETURN_IF_ERROR(limit.Check(RealClock(), "reading a request's body"));
    RealClock().WaitUntil(lock, changed_, limit.deadline);
  }
  if (body_.empty() && !body_end_.ok()) {
    return body_end_;
  }
  if (!body_ended_) {
    PokeLoop();  // there is room again
  }
  return std::exchange(body_, {});
}

std::unique_ptr<ResponseWriter> NewResponseWriter(std::shared_ptr<ServerExchange> exchange) {
  return std::make_unique<Writer>(std::move(exchange));
}

std::unique_ptr<BodyReader> NewBodyReader(std::shared_ptr<ServerExchange> exchange) {
  return std::make_unique<Reader>(std::move(exchange));
}

}  // namespace hearth::http
