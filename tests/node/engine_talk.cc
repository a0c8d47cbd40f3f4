#include "engine_talk.h"

#include <utility>

#include "base/clock.h"
#include "json/builder.h"
#include "json/parse.h"

namespace hearth::node {
namespace {

// Of one that hangs the state is asked again.
WaitLimit Soon() { return WaitLimit::For(RealClock(), std::chrono::seconds(10)); }
// Who answers works it out, and the machine may be busy.
WaitLimit Enough() { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); }

}  // namespace

EngineTalk::EngineTalk(net::EventLoop& loop, const std::string& address, uint16_t port)
    : client_(loop, {.host = address, .port = port}, nullptr) {}

Result<EngineState> EngineTalk::State() {
  ASSIGN_OR_RETURN(const http::Response answer,
                   client_.Send({.method = "GET", .target = "/state"}, Soon()));
  ASSIGN_OR_RETURN(const auto parsed, json::Parse(answer.body));
  const json::View state = parsed.view();
  return EngineState{.phase = state["phase"].StringOr(""),
                     .start = state["start"].StringOr(""),
                     .weights = state["weights"]["origin"].StringOr(""),
                     .layout = state["weights"]["layout_hash"].StringOr("")};
}

Result<std::string> EngineTalk::Complete(const std::string& prompt) {
  json::Builder body;
  body.BeginObject().Key("prompt").String(prompt).Key("max_tokens").Int(kLetters).EndObject();
  ASSIGN_OR_RETURN(
      const http::Response answer,
      client_.Send({.method = "POST", .target = "/v1/completions", .body = body.Take()}, Enough()));
  if (answer.status != 200) {
    return UnavailableError(answer.body);
  }
  ASSIGN_OR_RETURN(const auto parsed, json::Parse(answer.body));
  return parsed.view()["text"].StringOr("");
}

}  // namespace hearth::node
