#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "http/message.h"
#include "http/server.h"

namespace hearth::kube {

// An API server that says what the test told it to: each request takes the next answer of the
// queue. Give handler() to MakeHandlerTransport or to an http::Server. Thread-safe; must outlive
// the transport.
class ScriptedApi {
 public:
  // Runs on the transport's thread with the request and its body; may do anything with the writer.
  using Act = std::function<void(const http::Request&, std::unique_ptr<http::ResponseWriter>)>;

  ScriptedApi& Then(Act act);
  ScriptedApi& Answer(http::Response response);
  ScriptedApi& Json(int status, std::string body);
  // A failure as an API server tells it.
  ScriptedApi& Failure(const Status& status, http::Headers headers = {});
  // Writes the pieces one by one; then finishes, or stays open until the client goes.
  ScriptedApi& Stream(std::vector<std::string> pieces, bool stay_open = false);

  http::StreamingHandler handler();

  // Everything received so far, bodies included. A request that found no answer left was answered
  // with 501.
  std::vector<http::Request> requests() const;
  // "GET /api/v1/pods", ...
  std::vector<std::string> request_lines() const;
  // Waits until so many requests came; false after ten seconds.
  bool AwaitRequests(size_t count) const;

 private:
  void Serve(http::ServerRequest request, std::unique_ptr<http::ResponseWriter> writer);
  Act Take(const http::Request& request);

  mutable std::mutex mutex_;
  mutable std::condition_variable arrived_;
  std::deque<Act> acts_;
  std::vector<http::Request> requests_;
};

}  // namespace hearth::kube
