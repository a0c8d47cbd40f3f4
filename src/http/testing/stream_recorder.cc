#include "http/testing/stream_recorder.h"

#include <chrono>

#include "base/check.h"

namespace hearth::http {

void StreamRecorder::OnHead(Response head) {
  std::lock_guard lock(mutex_);
  CHECK(!head_ && !end_) << "OnHead twice or after the end";
  head_ = std::move(head);
  changed_.notify_all();
}

void StreamRecorder::OnData(std::string_view bytes, size_t capacity) {
  std::lock_guard lock(mutex_);
  CHECK(head_ && !end_) << "OnData before the head or after the end";
  CHECK(capacity >= bytes.size()) << "less readable memory than data";
  data_.append(bytes);
  changed_.notify_all();
}

void StreamRecorder::OnEnd(Status status) {
  std::lock_guard lock(mutex_);
  CHECK(!end_) << "OnEnd twice";
  end_ = std::move(status);
  changed_.notify_all();
}

template <typename Condition>
bool StreamRecorder::Await(Condition condition) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::minutes(2), condition);
}

bool StreamRecorder::AwaitHead() {
  return Await([&] { return head_.has_value() || end_.has_value(); }) && head_.has_value();
}

bool StreamRecorder::AwaitData(size_t bytes) {
  return Await([&] { return data_.size() >= bytes || end_.has_value(); }) && data_size() >= bytes;
}

Status StreamRecorder::AwaitEnd() {
  const bool ended = Await([&] { return end_.has_value(); });
  std::lock_guard lock(mutex_);
  return ended ? *end_ : DeadlineError("the stream did not end");
}

Response StreamRecorder::head() const {
  std::lock_guard lock(mutex_);
  return head_.value_or(Response());
}

std::string StreamRecorder::data() const {
  std::lock_guard lock(mutex_);
  return data_;
}

size_t StreamRecorder::data_size() const {
  std::lock_guard lock(mutex_);
  return data_.size();
}

bool StreamRecorder::ended() const {
  std::lock_guard lock(mutex_);
  return end_.has_value();
}

}  // namespace hearth::http
