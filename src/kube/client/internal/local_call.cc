#include "kube/client/internal/local_call.h"

#include <fmt/format.h>

#include <utility>

#include "base/stop_waker.h"
#include "kube/client/internal/unanswered.h"

namespace hearth::kube::internal {
namespace {

// As much as an HTTP client collects.
constexpr size_t kMaxBodyBytes = size_t{256} << 20;

class StringBody : public http::BodyReader {
 public:
  explicit StringBody(std::string body) : body_(std::move(body)) {}
  Result<std::string> Read(const WaitLimit&) override { return std::exchange(body_, ""); }

 private:
  std::string body_;
};

}  // namespace

class LocalCall::Writer : public http::ResponseWriter {
 public:
  explicit Writer(std::shared_ptr<LocalCall> call) : call_(std::move(call)) {}
  ~Writer() override { (void)call_->End(Unanswered()); }

  Status Send(http::Response response) override {
    RETURN_IF_ERROR(call_->Begin(std::move(response)));
    return call_->End(Status::Ok());
  }
  Status Begin(http::Response head) override { return call_->Begin(std::move(head)); }
  Status Write(std::string_view bytes, const WaitLimit&) override { return call_->Append(bytes); }
  Status Finish() override { return call_->End(Status::Ok()); }
  std::stop_token stop() const override { return call_->stop().get_token(); }

 private:
  const std::shared_ptr<LocalCall> call_;
};

std::unique_ptr<http::ResponseWriter> LocalCall::NewWriter() {
  return std::make_unique<Writer>(shared_from_this());
}

Status LocalCall::Begin(http::Response head) {
  std::lock_guard lock(mutex_);
  if (begun_ || end_.has_value()) {
    return end_.has_value() ? CallerGone() : InternalError("the answer was begun twice");
  }
  begun_ = true;
  response_ = std::move(head);
  return Status::Ok();
}

Status LocalCall::Append(std::string_view bytes) {
  std::lock_guard lock(mutex_);
  if (end_.has_value()) {
    return CallerGone();
  }
  if (bytes.size() > kMaxBodyBytes - response_.body.size()) {
    return ExhaustedError(fmt::format("the answer is longer than {} bytes", kMaxBodyBytes));
  }
  response_.body.append(bytes);
  return Status::Ok();
}

Status LocalCall::End(Status status) {
  std::lock_guard lock(mutex_);
  if (end_.has_value()) {
    return CallerGone();
  }
  if (!begun_) {
    response_ = InternalErrorResponse();
    status = Status::Ok();
  }
  end_ = std::move(status);
  ended_.notify_all();
  return Status::Ok();
}

Result<http::Response> LocalCall::Wait(const WaitLimit& limit, std::string_view what) {
  const StopWaker waker(limit.stop, mutex_, ended_);
  std::unique_lock lock(mutex_);
  while (!end_.has_value()) {
    const Status over = limit.Check(clock_, what);
    if (!over.ok()) {
      end_ = over;
      lock.unlock();
      stop_.request_stop();
      return over;
    }
    clock_.WaitUntil(lock, ended_, limit.deadline);
  }
  RETURN_IF_ERROR(*end_);
  return std::move(response_);
}

std::unique_ptr<http::BodyReader> ReadyBody(std::string body) {
  return std::make_unique<StringBody>(std::move(body));
}

}  // namespace hearth::kube::internal
