#include "kube/client/internal/local_stream.h"

#include <algorithm>
#include <utility>

#include "base/stop_waker.h"
#include "kube/client/internal/unanswered.h"

namespace hearth::kube::internal {
namespace {

// What may wait for the loop before the writer has to.
constexpr size_t kMaxWaitingBytes = 256 << 10;
// Readable bytes behind each piece, for parsers that read ahead.
constexpr size_t kPadding = 64;
constexpr int kPiecesPerTurn = 64;

}  // namespace

class LocalStream::Writer : public http::ResponseWriter {
 public:
  explicit Writer(std::shared_ptr<LocalStream> stream) : stream_(std::move(stream)) {}
  ~Writer() override { (void)stream_->PutEnd(Unanswered()); }

  Status Send(http::Response response) override { return stream_->PutWhole(std::move(response)); }
  Status Begin(http::Response head) override { return stream_->PutHead(std::move(head)); }
  Status Write(std::string_view bytes, const WaitLimit& limit) override {
    return stream_->PutBody(bytes, limit);
  }
  Status Finish() override { return stream_->PutEnd(Status::Ok()); }
  std::stop_token stop() const override { return stream_->stop().get_token(); }

 private:
  const std::shared_ptr<LocalStream> stream_;
};

LocalStream::LocalStream(net::EventLoop& loop, Clock& clock, http::StreamHandler& handler,
                         const http::StreamOptions& options)
    : loop_(loop),
      clock_(clock),
      options_(options),
      head_limit_(TimeAfter(clock.Now(), options.head_timeout)),
      gate_(loop, handler),
      last_arrival_(clock.Now()) {}

void LocalStream::Begin(const std::stop_token& owner_gone) {
  owner_gone_.emplace(owner_gone, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->Fail(CancelledError("the client is gone"));
    }
  });
  loop_.Post([self = shared_from_this()] { self->WatchLimits(); });
}

std::unique_ptr<http::ResponseWriter> LocalStream::NewWriter() {
  return std::make_unique<Writer>(shared_from_this());
}

Status LocalStream::PutHead(http::Response head) {
  std::unique_lock lock(mutex_);
  if (over_ || end_.has_value()) {
    return CallerGone();
  }
  if (begun_) {
    return InternalError("the answer was begun twice");
  }
  begun_ = true;
  head_ = std::move(head);
  head_->body.clear();
  Schedule(lock);
  return Status::Ok();
}

Status LocalStream::PutBody(std::string_view bytes, const WaitLimit& limit) {
  const StopWaker waker(limit.stop, mutex_, taken_);
  std::unique_lock lock(mutex_);
  while (waiting_bytes_ >= kMaxWaitingBytes && !over_) {
    RETURN_IF_ERROR(limit.Check(clock_, "writing an answer nobody reads"));
    clock_.WaitUntil(lock, taken_, limit.deadline);
  }
  if (over_ || end_.has_value()) {
    return CallerGone();
  }
  Piece piece;
  piece.size = bytes.size();
  piece.bytes.reserve(bytes.size() + kPadding);
  piece.bytes.append(bytes).append(kPadding, '\0');
  waiting_bytes_ += bytes.size();
  pieces_.push_back(std::move(piece));
  Schedule(lock);
  return Status::Ok();
}

// The body moves as it is: no copy, but no padding either.
Status LocalStream::PutWhole(http::Response response) {
  std::string body = std::move(response.body);
  RETURN_IF_ERROR(PutHead(std::move(response)));
  if (!body.empty()) {
    std::lock_guard lock(mutex_);
    const size_t size = body.size();
    waiting_bytes_ += size;
    pieces_.push_back({std::move(body), size});
  }
  return PutEnd(Status::Ok());
}

Status LocalStream::PutEnd(Status status) {
  std::unique_lock lock(mutex_);
  if (over_ || end_.has_value()) {
    return CallerGone();
  }
  if (!begun_) {
    lock.unlock();
    return PutWhole(InternalErrorResponse());
  }
  end_ = std::move(status);
  Schedule(lock);
  return Status::Ok();
}

void LocalStream::Schedule(std::unique_lock<std::mutex>& lock) {
  last_arrival_ = clock_.Now();
  if (std::exchange(scheduled_, true)) {
    return;
  }
  lock.unlock();
  loop_.Post([self = shared_from_this()] { self->Deliver(); });
}

void LocalStream::Deliver() {
  std::optional<http::Response> head;
  {
    std::lock_guard lock(mutex_);
    scheduled_ = false;
    head = std::exchange(head_, std::nullopt);
  }
  if (head.has_value()) {
    gate_.Head(*std::move(head));
  }
  if (!DeliverPieces()) {
    std::unique_lock lock(mutex_);
    Schedule(lock);
    return;
  }
  if (const auto end = NextEnd()) {
    timer_ = nullptr;
    gate_.End(*end);
  }
}

// False when it is the turn of others on the loop, though there may be more.
bool LocalStream::DeliverPieces() {
  for (int i = 0; i < kPiecesPerTurn; ++i) {
    const auto piece = NextPiece();
    if (!piece.has_value()) {
      return true;
    }
    gate_.Data(std::string_view(piece->bytes).substr(0, piece->size), piece->bytes.size());
  }
  return false;
}

std::optional<LocalStream::Piece> LocalStream::NextPiece() {
  std::lock_guard lock(mutex_);
  if (over_ || paused_ || pieces_.empty()) {
    return std::nullopt;
  }
  Piece piece = std::move(pieces_.front());
  pieces_.pop_front();
  waiting_bytes_ -= piece.size;
  taken_.notify_all();
  return piece;
}

std::optional<Status> LocalStream::NextEnd() {
  std::lock_guard lock(mutex_);
  const bool done = end_.has_value() && pieces_.empty() && !over_ && !paused_;
  over_ = over_ || done;
  return done ? end_ : std::nullopt;
}

void LocalStream::SetPaused(bool paused) {
  std::unique_lock lock(mutex_);
  paused_ = paused;
  if (!paused) {
    Schedule(lock);
    loop_.Post([self = shared_from_this()] { self->WatchLimits(); });
  }
}

void LocalStream::Abandon() {
  gate_.CutOff();
  Fail(CancelledError("the stream is gone"));
}

void LocalStream::Fail(const Status& status) {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
    pieces_.clear();
    taken_.notify_all();
  }
  stop_.request_stop();
  loop_.Post([self = shared_from_this(), status] {
    self->timer_ = nullptr;
    self->gate_.End(status);
  });
}

SteadyTime LocalStream::NextLimit() {
  std::lock_guard lock(mutex_);
  const SteadyTime head = begun_ ? SteadyTime::max() : head_limit_;
  // While paused it is the caller who does not listen.
  const SteadyTime idle =
      paused_ ? SteadyTime::max() : TimeAfter(last_arrival_, options_.idle_timeout);
  return over_ ? SteadyTime::max() : std::min({options_.deadline, head, idle});
}

// One timer for all limits, looked at again when it rings: arrivals do not touch it.
void LocalStream::WatchLimits() {
  const SteadyTime next = NextLimit();
  if (next == SteadyTime::max()) {
    return;
  }
  const Duration left = next - clock_.Now();
  if (left <= Duration::zero()) {
    Fail(DeadlineError("the answer did not come in time"));
    return;
  }
  timer_ = loop_.After(left, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->WatchLimits();
    }
  });
}

}  // namespace hearth::kube::internal
