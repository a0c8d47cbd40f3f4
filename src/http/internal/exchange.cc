#include "http/internal/exchange.h"

#include <algorithm>

#include "base/strings.h"

namespace hearth::http {
namespace {

SteadyTime Later(SteadyTime time, Duration by) {
  return by >= SteadyTime::max() - time ? SteadyTime::max() : time + by;
}

}  // namespace

Exchange::Exchange(OutgoingRequest request, StreamHandler& handler, const StreamOptions& options)
    : request_(std::move(request)),
      options_(options),
      head_limit_(Later(std::chrono::steady_clock::now(), options.head_timeout)),
      last_arrival_(std::chrono::steady_clock::now()),
      handler_(&handler) {}

template <typename Call>
void Exchange::CallHandler(Call call) {
  if (calling_thread_.load() == std::this_thread::get_id()) {
    // The handler ended everything from inside a call, so the lock is held further up this stack.
    if (handler_ != nullptr) {
      call(*handler_);
    }
    return;
  }
  std::lock_guard lock(handler_mutex_);
  if (handler_ != nullptr) {
    calling_thread_ = std::this_thread::get_id();
    call(*handler_);
    calling_thread_ = std::thread::id();
  }
}

void Exchange::TakeHead(Response head) {
  has_head_ = true;
  if (request_.undo_gzip && EqualIgnoreCase(head.headers.Get("Content-Encoding"), "gzip")) {
    inflater_ = std::make_unique<Inflater>();
    head.headers.Erase("Content-Encoding");
    head.headers.Erase("Content-Length");
  }
  if (!cancelled()) {
    CallHandler([&](StreamHandler& handler) { handler.OnHead(std::move(head)); });
  }
}

void Exchange::TakeBody(std::string_view bytes, size_t readable) {
  if (inflater_ == nullptr) {
    Deliver(bytes, readable);
    return;
  }
  if (inflater_->has_input()) {
    // Paused in the middle of a buffer: the rest of that buffer queues up behind.
    inflater_->AppendInput(bytes);
    return;
  }
  inflater_->SetInput(bytes);
  DeliverHeldBody();
  inflater_->KeepInput();
}

void Exchange::DeliverHeldBody() {
  while (!paused() && !cancelled() && body_failure_.ok() && inflater_->has_input()) {
    Result<std::string_view> bytes = inflater_->Pull();
    if (!bytes.ok()) {
      body_failure_ = std::move(bytes).status();
    } else if (!bytes->empty()) {
      Deliver(*bytes, bytes->size() + Inflater::kPadding);
    }
  }
}

void Exchange::Deliver(std::string_view bytes, size_t readable) {
  if (!cancelled()) {
    CallHandler([&](StreamHandler& handler) { handler.OnData(bytes, readable); });
  }
}

Status Exchange::CheckBodyEnd() const {
  if (inflater_ != nullptr && !inflater_->complete()) {
    return DataLossError("the gzip data of the answer ends too early");
  }
  return Status::Ok();
}

void Exchange::Finish(const Status& status) {
  if (ended_) {
    return;
  }
  ended_ = true;
  timer = nullptr;
  CallHandler([&](StreamHandler& handler) {
    handler_ = nullptr;
    handler.OnEnd(cancelled() ? CancelledError(request_.label + ": cancelled")
                              : status.WithContext(request_.label));
  });
}

void Exchange::Detach() {
  MarkCancelled();
  if (calling_thread_.load() == std::this_thread::get_id()) {
    handler_ = nullptr;  // further up this very stack the lock is held
    return;
  }
  std::lock_guard lock(handler_mutex_);
  handler_ = nullptr;
}

SteadyTime Exchange::IdleLimit() const {
  // While paused it is we who do not listen.
  return paused() ? SteadyTime::max() : Later(last_arrival_, options_.idle_timeout);
}

SteadyTime Exchange::NextLimit() const {
  const SteadyTime head = has_head_ ? SteadyTime::max() : head_limit_;
  return std::min({options_.deadline, head, IdleLimit()});
}

Status Exchange::CheckLimits(SteadyTime now) const {
  if (now >= options_.deadline) {
    return DeadlineError("the answer was not complete in time");
  }
  if (!has_head_ && now >= head_limit_) {
    return DeadlineError("no answer in time");
  }
  if (now >= IdleLimit()) {
    return DeadlineError("nothing arrived for too long");
  }
  return Status::Ok();
}

}  // namespace hearth::http
