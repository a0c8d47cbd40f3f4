#include "engine_client.h"

#include <fmt/format.h>

#include "http/client.h"
#include "json/builder.h"
#include "json/parse.h"

namespace hearth::demo {
namespace {

// Nobody tells when a socket appears in a container; the engine itself is busy for seconds.
constexpr Duration kAskAgain = std::chrono::milliseconds(5);
constexpr Duration kLongest = std::chrono::minutes(5);

}  // namespace

Result<std::string> EngineClient::Send(const std::string& method, const std::string& target,
                                       const std::string& body) {
  http::Client client(loop_, {.unix_path = socket_}, nullptr);
  http::Request request{.method = method, .target = target, .body = body};
  request.headers.Set("Connection", "close");
  ASSIGN_OR_RETURN(http::Response response,
                   client.Send(std::move(request), WaitLimit::For(RealClock(), kLongest, stop_)));
  return response.status / 100 == 2 ? Result<std::string>(std::move(response.body))
                                    : UnavailableError(fmt::format("{} {}: {} {}", method, target,
                                                                   response.status, response.body));
}

Status EngineClient::AwaitServing(const std::function<Status()>& possible) {
  const WaitLimit limit = WaitLimit::For(RealClock(), kLongest, stop_);
  while (true) {
    RETURN_IF_ERROR(possible());
    const auto answer = Send("GET", "/healthz", "");
    if (answer.ok()) {
      return Status::Ok();
    }
    if (limit.Expired(RealClock())) {
      return answer.status().WithContext("the engine does not serve");
    }
    static_cast<void>(SleepFor(RealClock(), kAskAgain, stop_));
  }
}

Result<std::string> EngineClient::Complete(const std::string& prompt) {
  json::Builder body;
  body.BeginObject().Key("prompt").String(prompt).Key("max_tokens").Int(12).EndObject();
  ASSIGN_OR_RETURN(const std::string answer, Send("POST", "/v1/completions", body.Take()));
  ASSIGN_OR_RETURN(const json::Blob parsed, json::Parse(answer));
  return std::string(parsed.view()["text"].String().value_or(""));
}

Status EngineClient::Post(const std::string& target) { return Send("POST", target, "").status(); }

Result<EngineClient::State> EngineClient::Ask() {
  ASSIGN_OR_RETURN(const std::string answer, Send("GET", "/state", ""));
  ASSIGN_OR_RETURN(const json::Blob parsed, json::Parse(answer));
  return State{.requests = parsed.view()["requests"].Int().value_or(-1),
               .digest = std::string(parsed.view()["digest"].String().value_or("")),
               .phase = std::string(parsed.view()["phase"].String().value_or(""))};
}

}  // namespace hearth::demo
