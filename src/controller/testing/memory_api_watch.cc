#include <algorithm>
#include <charconv>
#include <utility>

#include "base/stop_waker.h"
#include "controller/testing/memory_api.h"

namespace hearth::controller {
namespace {

using json::Value;

uint64_t Number(std::string_view text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string QueryValue(const http::QueryPairs& query, std::string_view name) {
  const auto found = std::find_if(query.begin(), query.end(),
                                  [&](const auto& pair) { return pair.first == name; });
  return found == query.end() ? "" : found->second;
}

std::string EventLine(const std::string& type, const Value& object) {
  return Value::Object({{"type", type}, {"object", object}}).Write() + "\n";
}

}  // namespace

http::StreamingHandler MemoryApi::Handler() {
  return [this](http::ServerRequest request, std::unique_ptr<http::ResponseWriter> writer) {
    // A streaming handler finds the body in the reader, if there is one.
    while (request.body != nullptr) {
      const Result<std::string> piece = request.body->Read(WaitLimit::Forever());
      if (!piece.ok() || piece->empty()) {
        break;
      }
      request.message.body += *piece;
    }
    Serve(request, std::move(writer));
  };
}

void MemoryApi::Serve(const http::ServerRequest& request,
                      std::unique_ptr<http::ResponseWriter> writer) {
  const auto [path, query] = SplitTarget(request.message.target);
  const http::QueryPairs pairs = http::ParseQuery(query);
  const std::string watch = QueryValue(pairs, "watch");
  if (watch != "true" && watch != "1") {
    static_cast<void>(writer->Send(Answer(request.message)));
    return;
  }
  std::lock_guard lock(mutex_);
  requests_.push_back("WATCH " + std::string(path));
  if (!ending_) {
    watches_.emplace_back([this, at = *Parse(path), pairs, writer = std::move(writer)] {
      Watch(at, pairs, *writer);
    });
  }
}

void MemoryApi::Watch(const Address& at, const http::QueryPairs& query,
                      http::ResponseWriter& writer) {
  http::Response head;
  head.status = 200;
  head.headers.Set("Content-Type", "application/json");
  if (!writer.Begin(std::move(head)).ok()) {
    return;
  }
  const std::stop_token stop = writer.stop();
  uint64_t version = Number(QueryValue(query, "resourceVersion"));
  bool initial = QueryValue(query, "sendInitialEvents") == "true";
  StopWaker waker(stop, mutex_, changed_);
  while (true) {
    std::vector<std::string> lines;
    {
      std::unique_lock lock(mutex_);
      while (lines.empty()) {
        if (ending_ || stop.stop_requested()) {
          return;
        }
        if (!watches_held_) {
          lines =
              std::exchange(initial, false) ? InitialEvents(at, version) : EventsSince(at, version);
        }
        if (lines.empty()) {
          changed_.wait(lock);
        }
      }
    }
    for (const std::string& line : lines) {
      if (!writer.Write(line, {.stop = stop}).ok()) {
        return;
      }
    }
  }
}

std::vector<std::string> MemoryApi::EventsSince(const Address& at, uint64_t& version) const {
  std::vector<std::string> lines;
  for (const Event& event : history_) {
    if (event.version > version && event.collection == at.collection && at.Covers(event.key)) {
      lines.push_back(EventLine(event.type, event.object));
    }
  }
  version = version_;
  return lines;
}

std::vector<std::string> MemoryApi::InitialEvents(const Address& at, uint64_t& version) const {
  std::vector<std::string> lines;
  const auto collection = collections_.find(at.collection);
  if (collection != collections_.end()) {
    for (const auto& [key, object] : collection->second) {
      if (at.Covers(key)) {
        lines.push_back(EventLine("ADDED", object));
      }
    }
  }
  Value metadata =
      Value::Object({{"resourceVersion", std::to_string(version_)},
                     {"annotations", Value::Object({{"k8s.io/initial-events-end", "true"}})}});
  lines.push_back(EventLine("BOOKMARK", Value::Object({{"kind", "Bookmark"},
                                                       {"apiVersion", at.api_version},
                                                       {"metadata", std::move(metadata)}})));
  version = version_;
  return lines;
}

}  // namespace hearth::controller
