#include "kube/client/internal/answer_stream.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "kube/model/api_status.h"

namespace hearth::kube::internal {
namespace {

constexpr size_t kMaxFailureBytes = 64 << 10;

// Shared by the handle the caller holds and calls that are under way.
class Answer : public http::StreamHandler, public std::enable_shared_from_this<Answer> {
 public:
  Answer(std::unique_ptr<AnswerReader> reader, std::string what,
         std::shared_ptr<WarningLog> warnings)
      : reader_(std::move(reader)), what_(std::move(what)), warnings_(std::move(warnings)) {}

  void Begin(Transport& transport, http::Request request, const http::StreamOptions& options) {
    auto stream = transport.Start(std::move(request), *this, options);
    std::lock_guard lock(mutex_);
    stream_ = std::move(stream);
    if (given_up_) {
      stream_->Cancel();
    }
  }

  void Abandon() {
    reader_->cut_off = true;
    std::unique_ptr<http::Stream> stream;
    {
      std::lock_guard lock(mutex_);
      stream = std::move(stream_);
    }
  }

  template <typename Act>
  void WithStream(Act act) {
    std::lock_guard lock(mutex_);
    if (stream_ != nullptr) {
      act(*stream_);
    }
  }

  void OnHead(http::Response head) override {
    warnings_->Note(head.headers);
    head_ = std::move(head);
  }

  void OnData(std::string_view bytes, size_t capacity) override {
    const auto self = shared_from_this();  // the caller may let go of us
    if (!failure_.ok()) {
      return;
    }
    if (Good()) {
      failure_ = reader_->OnData(bytes, capacity);
    } else {
      const size_t room = kMaxFailureBytes - head_.body.size();
      head_.body.append(bytes.substr(0, room));
      failure_ = bytes.size() > room ? StatusFromResponse(head_) : Status::Ok();
    }
    if (!failure_.ok()) {
      GiveUp();
    }
  }

  void OnEnd(Status status) override {
    const auto self = shared_from_this();
    if (!failure_.ok()) {
      status = failure_;
    } else if (!Good() && head_.status != 0) {
      // Even cut off, what the server told is more to the point.
      status = StatusFromResponse(head_);
    }
    reader_->OnEnd(status.WithContext(what_));
  }

 private:
  bool Good() const { return head_.status >= 200 && head_.status < 300; }

  void GiveUp() {
    std::lock_guard lock(mutex_);
    given_up_ = true;
    if (stream_ != nullptr) {
      stream_->Cancel();
    }
  }

  const std::unique_ptr<AnswerReader> reader_;
  const std::string what_;
  const std::shared_ptr<WarningLog> warnings_;

  // On the loop only.
  http::Response head_;
  Status failure_;

  std::mutex mutex_;
  std::unique_ptr<http::Stream> stream_;  // null until begun and once abandoned
  bool given_up_ = false;
};

class Handle : public http::Stream {
 public:
  explicit Handle(std::shared_ptr<Answer> answer) : answer_(std::move(answer)) {}
  ~Handle() override { answer_->Abandon(); }
  void Cancel() override {
    answer_->WithStream([](http::Stream& stream) { stream.Cancel(); });
  }
  void Pause() override {
    answer_->WithStream([](http::Stream& stream) { stream.Pause(); });
  }
  void Resume() override {
    answer_->WithStream([](http::Stream& stream) { stream.Resume(); });
  }

 private:
  const std::shared_ptr<Answer> answer_;
};

}  // namespace

std::unique_ptr<http::Stream> StartAnswer(Transport& transport, http::Request request,
                                          const http::StreamOptions& options,
                                          std::unique_ptr<AnswerReader> reader, std::string what,
                                          std::shared_ptr<WarningLog> warnings) {
  auto answer = std::make_shared<Answer>(std::move(reader), std::move(what), std::move(warnings));
  answer->Begin(transport, std::move(request), options);
  return std::make_unique<Handle>(std::move(answer));
}

}  // namespace hearth::kube::internal
