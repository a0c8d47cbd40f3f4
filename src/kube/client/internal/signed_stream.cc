#include "kube/client/internal/signed_stream.h"

#include <algorithm>
#include <utility>

namespace hearth::kube::internal {
namespace {

// Of a refusal that may be given to the caller after all.
constexpr size_t kHeldBytes = 64 << 10;

class Handle : public http::Stream {
 public:
  explicit Handle(std::shared_ptr<SignedStream> stream) : stream_(std::move(stream)) {}
  ~Handle() override { stream_->Abandon(); }
  void Cancel() override { stream_->Cancel(); }
  void Pause() override { stream_->SetPaused(true); }
  void Resume() override { stream_->SetPaused(false); }

 private:
  const std::shared_ptr<SignedStream> stream_;
};

}  // namespace

SignedStream::SignedStream(net::EventLoop& loop, ServerAccess& access,
                           std::shared_ptr<TaskThreads> threads, http::Request request,
                           http::StreamHandler& handler, const http::StreamOptions& options)
    : loop_(loop),
      access_(access),
      threads_(std::move(threads)),
      request_(std::move(request)),
      options_(options),
      may_change_(access.MayChange()),
      gate_(loop, handler) {}

void SignedStream::Begin() {
  if (may_change_) {
    RunOffLoop([this](const WaitLimit& limit) {
      const auto standing = access_.Get(limit);
      standing.ok() ? Launch(*standing) : EndSoon(standing.status());
    });
    return;
  }
  const auto standing = access_.Get(WaitLimit::Forever());
  standing.ok() ? Launch(*standing) : EndSoon(standing.status());
}

template <typename Fetch>
void SignedStream::RunOffLoop(Fetch fetch) {
  const auto task = [self = shared_from_this(), fetch](const std::stop_token& stop) {
    if (stop.stop_requested()) {
      self->EndSoon(CancelledError("the client is gone"));
      return;
    }
    const std::stop_callback forward(stop, [&] { self->stop_.request_stop(); });
    fetch(self->LimitOfFetch());
  };
  if (!threads_->Run(task)) {
    EndSoon(CancelledError("the client is gone"));
  }
}

WaitLimit SignedStream::LimitOfFetch() const {
  return WaitLimit{options_.deadline, stop_.get_token()}.AtMost(RealClock(), options_.head_timeout);
}

void SignedStream::Launch(const Standing& standing) {
  std::unique_ptr<http::Stream> finished;  // of the first try; goes without the lock
  std::lock_guard lock(mutex_);
  finished = std::move(stream_);
  if (over_) {
    return;
  }
  standing_ = standing;
  stream_ = access_.client().Start(access_.Sign(request_, standing), *this, options_);
  if (paused_) {
    stream_->Pause();
  }
}

void SignedStream::EndSoon(Status status) {
  loop_.Post([self = shared_from_this(), status = std::move(status)] { self->gate_.End(status); });
}

void SignedStream::Cancel() {
  std::unique_lock lock(mutex_);
  if (stream_ != nullptr) {
    stream_->Cancel();
  }
  over_ = true;
  lock.unlock();
  stop_.request_stop();
  EndSoon(CancelledError("the request was cancelled"));
}

void SignedStream::SetPaused(bool paused) {
  std::lock_guard lock(mutex_);
  paused_ = paused;
  if (stream_ != nullptr) {
    paused ? stream_->Pause() : stream_->Resume();
  }
}

void SignedStream::Abandon() {
  gate_.CutOff();
  std::unique_ptr<http::Stream>
      stream;  // goes without the lock: it may wait for a call that wants it
  {
    std::lock_guard lock(mutex_);
    over_ = true;
    stream = std::move(stream_);
  }
  stop_.request_stop();
}

void SignedStream::OnHead(http::Response head) {
  const auto self = shared_from_this();  // the caller may let go of us
  if (ServerAccess::Refused(head.status) && !retried_ && may_change_) {
    holding_ = true;
    held_ = std::move(head);
    return;
  }
  gate_.Head(std::move(head));
}

void SignedStream::OnData(std::string_view bytes, size_t capacity) {
  const auto self = shared_from_this();
  if (!holding_) {
    gate_.Data(bytes, capacity);
    return;
  }
  held_.body.append(bytes.substr(0, kHeldBytes - std::min(kHeldBytes, held_.body.size())));
}

void SignedStream::OnEnd(Status status) {
  const auto self = shared_from_this();
  const bool refused = holding_ || ServerAccess::Refused(status);
  if (!refused || retried_ || status.Is(Code::kCancelled) || !may_change_) {
    GiveRefusal(status);
    return;
  }
  retried_ = true;
  TryAgain(status);
}

void SignedStream::TryAgain(const Status& refusal) {
  RunOffLoop([this, refusal](const WaitLimit& limit) {
    Standing used;
    {
      std::lock_guard lock(mutex_);
      used = standing_;
    }
    auto another = access_.GetAnother(used, limit);
    if (another.ok() && another->has_value()) {
      loop_.Post([self = shared_from_this()] { self->holding_ = false; });
      Launch(**another);
      return;
    }
    loop_.Post([self = shared_from_this(), refusal] { self->GiveRefusal(refusal); });
  });
}

// The answer as it came, what was held back of it included.
void SignedStream::GiveRefusal(const Status& end) {
  if (std::exchange(holding_, false)) {
    const std::string body = std::exchange(held_.body, "");
    gate_.Head(std::move(held_));
    if (!body.empty()) {
      gate_.Data(body, body.size());
    }
  }
  gate_.End(end);
}

std::unique_ptr<http::Stream> StartSigned(net::EventLoop& loop, ServerAccess& access,
                                          std::shared_ptr<TaskThreads> threads,
                                          http::Request request, http::StreamHandler& handler,
                                          const http::StreamOptions& options) {
  auto stream = std::make_shared<SignedStream>(loop, access, std::move(threads), std::move(request),
                                               handler, options);
  stream->Begin();
  return std::make_unique<Handle>(std::move(stream));
}

}  // namespace hearth::kube::internal
