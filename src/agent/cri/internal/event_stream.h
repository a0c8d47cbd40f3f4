#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "agent/container/container.h"
#include "agent/rpc/call.h"
#include "base/clock.h"

namespace hearth::agent::internal {

// A stream of a gRPC server as events: read in the background of gRPC, waited for with a limit,
// which gRPC's blocking streams cannot. For the source that speaks gRPC only.
template <typename Message>
class EventStream : public ContainerEvents {
 public:
  using Reader = std::unique_ptr<grpc::ClientAsyncReader<Message>>;
  using Prepare = std::function<Reader(grpc::ClientContext*, grpc::CompletionQueue*)>;
  using Decode = std::function<std::optional<ContainerEvent>(const Message&)>;

  EventStream(const Prepare& prepare, Decode decode, std::string what, Clock& clock)
      : decode_(std::move(decode)), what_(std::move(what)), clock_(clock) {
    reader_ = prepare(&context_, &queue_);
    reader_->StartCall(this);
  }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  ~EventStream() override {
    context_.TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  Result<ContainerEvent> Next(const WaitLimit& limit) override {
    const std::stop_callback cancel(limit.stop, [this] { context_.TryCancel(); });
    while (stage_ != Stage::kOver) {
      RETURN_IF_ERROR(AwaitOne(limit));
      if (std::optional<ContainerEvent> event = Advance()) {
        return *std::move(event);
      }
    }
    return End(limit);
  }

 private:
  // What the operation is that is under way.
  enum class Stage { kStarting, kReading, kFinishing, kOver };

  Status AwaitOne(const WaitLimit& limit) {
    void* tag = nullptr;
    const auto deadline =
        limit.deadline == SteadyTime::max()
            ? std::chrono::system_clock::time_point::max()
            : std::chrono::system_clock::now() +
                  std::chrono::duration_cast<std::chrono::microseconds>(limit.Remaining(clock_));
    if (queue_.AsyncNext(&tag, &succeeded_, deadline) == grpc::CompletionQueue::TIMEOUT) {
      return DeadlineError(what_);
    }
    return Status::Ok();
  }

  std::optional<ContainerEvent> Advance() {
    if (stage_ == Stage::kFinishing) {
      stage_ = Stage::kOver;
      return std::nullopt;
    }
    if (!succeeded_) {
      stage_ = Stage::kFinishing;
      reader_->Finish(&status_, this);
      return std::nullopt;
    }
    const bool has_message = stage_ == Stage::kReading;
    std::optional<ContainerEvent> event = has_message ? decode_(message_) : std::nullopt;
    told_any_ = told_any_ || has_message;
    stage_ = Stage::kReading;
    reader_->Read(&message_, this);
    return event;
  }

  Status End(const WaitLimit& limit) const {
    if (status_.ok()) {
      // CRI-O ends the stream at once where its events are switched off.
      return told_any_ ? UnavailableError(what_ + ": the stream has ended; watch again")
                       : UnsupportedError(what_ + ": the runtime tells none");
    }
    return rpc::Translate(status_, limit, clock_, what_);
  }

  Decode decode_;
  std::string what_;
  Clock& clock_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  Reader reader_;
  Message message_;
  grpc::Status status_;
  Stage stage_ = Stage::kStarting;
  bool succeeded_ = false;
  bool told_any_ = false;
};

}  // namespace hearth::agent::internal
