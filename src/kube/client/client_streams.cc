#include <utility>

#include "json/item_splitter.h"
#include "kube/client/client.h"
#include "kube/client/internal/answer_stream.h"
#include "kube/client/internal/client_impl.h"
#include "kube/client/internal/list_tail.h"

namespace hearth::kube {
namespace {

using internal::AnswerReader;

// Once the caller has let go there is nobody to tell, and no reason to go on.
Status Unless(bool cut_off, Status status) {
  return cut_off ? CancelledError("the stream is gone") : std::move(status);
}

class WatchReader : public AnswerReader {
 public:
  WatchReader(WatchHandler& handler, std::string what, size_t max_event_bytes)
      : handler_(handler),
        what_(std::move(what)),
        decoder_(
            [this](WatchEventType type, std::string_view object, size_t capacity) {
              Status status = handler_.OnEvent(type, object, capacity);
              return Unless(cut_off, std::move(status));
            },
            max_event_bytes) {}

  Status OnData(std::string_view bytes, size_t capacity) override {
    return decoder_.Feed(bytes, capacity);
  }
  void OnEnd(const Status& status) override {
    // The last event may only be complete now.
    const Status finished = status.ok() ? decoder_.Finish().WithContext(what_) : status;
    if (!cut_off) {
      handler_.OnEnd(finished);
    }
  }

 private:
  WatchHandler& handler_;
  const std::string what_;
  WatchDecoder decoder_;
};

class ListReader : public AnswerReader {
 public:
  ListReader(ListHandler& handler, std::string what, size_t max_item_bytes)
      : handler_(handler),
        what_(std::move(what)),
        splitter_(
            [this](std::string_view item, size_t capacity) {
              Status status = handler_.OnItem(item, capacity);
              return Unless(cut_off, std::move(status));
            },
            internal::SplitLimits(max_item_bytes)) {}

  Status OnData(std::string_view bytes, size_t) override { return splitter_.Feed(bytes); }
  void OnEnd(const Status& status) override {
    auto tail = status.ok() ? internal::ReadListTail(splitter_.Finish()).WithContext(what_)
                            : Result<internal::ListTail>(status);
    if (cut_off) {
      return;
    }
    if (!tail.ok()) {
      handler_.OnEnd(tail.status());
      return;
    }
    handler_.OnEnd(
        ListHandler::Tail{std::move(tail->resource_version), std::move(tail->continue_token)});
  }

 private:
  ListHandler& handler_;
  const std::string what_;
  json::ItemSplitter splitter_;
};

}  // namespace

std::unique_ptr<http::Stream> Client::StartWatch(const ResourceType& type,
                                                 std::string_view name_space,
                                                 const WatchOptions& options, WatchHandler& handler,
                                                 const http::StreamOptions& limits) {
  const std::string what = internal::DescribeMany("watch", type, name_space);
  http::StreamOptions stream = limits;
  stream.lasting = true;
  return internal::StartAnswer(
      impl_->transport, WatchRequest(type, name_space, options), stream,
      std::make_unique<WatchReader>(handler, what, impl_->options.max_object_bytes), what,
      impl_->warnings);
}

std::unique_ptr<http::Stream> Client::StartList(const ResourceType& type,
                                                std::string_view name_space,
                                                const ListOptions& options, ListHandler& handler,
                                                const http::StreamOptions& limits) {
  const std::string what = internal::DescribeMany("list", type, name_space);
  return internal::StartAnswer(
      impl_->transport, ListRequest(type, name_space, options), limits,
      std::make_unique<ListReader>(handler, what, impl_->options.max_object_bytes), what,
      impl_->warnings);
}

}  // namespace hearth::kube
