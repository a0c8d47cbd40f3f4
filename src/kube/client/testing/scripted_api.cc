#include "kube/client/testing/scripted_api.h"

#include <chrono>
#include <utility>

#include "kube/model/api_status.h"

namespace hearth::kube {
namespace {

std::string ReadAll(http::BodyReader& reader) {
  std::string body;
  while (true) {
    auto piece = reader.Read(WaitLimit::Forever());
    if (!piece.ok() || piece->empty()) {
      return body;
    }
    body += *piece;
  }
}

void AwaitStop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

void WritePieces(const std::vector<std::string>& pieces, bool stay_open,
                 http::ResponseWriter& writer) {
  if (!writer.Begin({200, {{"Content-Type", "application/json"}}, ""}).ok()) {
    return;
  }
  for (const std::string& piece : pieces) {
    if (!writer.Write(piece, WaitLimit::Forever()).ok()) {
      return;
    }
  }
  if (stay_open) {
    AwaitStop(writer.stop());
    return;
  }
  (void)writer.Finish();
}

}  // namespace

ScriptedApi& ScriptedApi::Then(Act act) {
  std::lock_guard lock(mutex_);
  acts_.push_back(std::move(act));
  return *this;
}

ScriptedApi& ScriptedApi::Answer(http::Response response) {
  return Then([response = std::move(response)](const http::Request&,
                                               std::unique_ptr<http::ResponseWriter> writer) {
    (void)writer->Send(response);
  });
}

ScriptedApi& ScriptedApi::Json(int status, std::string body) {
  return Answer({status, {{"Content-Type", "application/json"}}, std::move(body)});
}

ScriptedApi& ScriptedApi::Failure(const Status& status, http::Headers headers) {
  return Answer({HttpCodeFor(status), std::move(headers), StatusToObject(status).Write()});
}

ScriptedApi& ScriptedApi::Stream(std::vector<std::string> pieces, bool stay_open) {
  return Then([pieces = std::move(pieces), stay_open](
                  const http::Request&, std::unique_ptr<http::ResponseWriter> writer) {
    WritePieces(pieces, stay_open, *writer);
  });
}

http::StreamingHandler ScriptedApi::handler() {
  return [this](http::ServerRequest request, std::unique_ptr<http::ResponseWriter> writer) {
    Serve(std::move(request), std::move(writer));
  };
}

void ScriptedApi::Serve(http::ServerRequest request, std::unique_ptr<http::ResponseWriter> writer) {
  http::Request message = std::move(request.message);
  if (request.body != nullptr) {
    message.body = ReadAll(*request.body);
  }
  const Act act = Take(message);
  if (act) {
    act(message, std::move(writer));
  } else {
    (void)writer->Send({501, {}, "the script has no answer left for " + message.target});
  }
}

ScriptedApi::Act ScriptedApi::Take(const http::Request& request) {
  std::lock_guard lock(mutex_);
  requests_.push_back(request);
  arrived_.notify_all();
  if (acts_.empty()) {
    return nullptr;
  }
  Act act = std::move(acts_.front());
  acts_.pop_front();
  return act;
}

std::vector<http::Request> ScriptedApi::requests() const {
  std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<std::string> ScriptedApi::request_lines() const {
  std::vector<std::string> lines;
  for (const http::Request& request : requests()) {
    lines.push_back(request.method + " " + request.target);
  }
  return lines;
}

bool ScriptedApi::AwaitRequests(size_t count) const {
  std::unique_lock lock(mutex_);
  return arrived_.wait_for(lock, std::chrono::minutes(2),
                           [&] { return requests_.size() >= count; });
}

}  // namespace hearth::kube
